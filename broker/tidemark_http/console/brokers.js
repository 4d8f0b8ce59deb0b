// Several brokers (`tidemark.brokers`): buttons that let another one lead a partition or coordinate a group.

import { post } from "./api.js";
import { act, app } from "./app.js";
import { badge, button, el } from "./ui.js";

// The broker that leads. -1: none does.
export const leader = (id) => (id < 0 ? badge("none", "bad") : id);

// The followers in the ISR, each as a button. `said` describes the click on it.
function followers({ isr, node_id: id }, said, move) {
  const others = app.clock.test_api ? isr.filter((each) => each !== id) : [];
  if (others.length === 0) return null;
  return el("span", { class: "actions" }, others.map((to) => button(to, () => act(() => move(to)), { key: to, "aria-label": said(to) })));
}

export function leaders({ topic, partition, leader: id, isr }) {
  return followers({ isr, node_id: id }, (to) => `Let broker ${to} lead partition ${partition}`, (to) => post("/brokers/leader", { topic, partition, to }));
}

export function coordinators({ group, coordinator }) {
  return followers(coordinator, (to) => `Let broker ${to} coordinate the group`, (to) => post("/brokers/coordinator", { group, to }));
}
