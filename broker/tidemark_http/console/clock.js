// The line about the broker's time, and the drawer that moves it.

import { post } from "./api.js";
import { act, app } from "./app.js";
import { button, byId, counted, due, el, morph, setText } from "./ui.js";
import { duration, moment, now, signed } from "./time.js";

const SENTENCES = 50; // of removed offsets
const STEPS = [["+1 hour", { hours: 1 }], ["+1 day", { days: 1 }], ["+8 days", { days: 8 }], ["To the next expiry", { to: "next_expiry" }]];

let isOpen = false;
let drawer = null;

export function toggleDrawer() {
  if (!app.clock?.test_api) return;
  isOpen = !isOpen;
  showClock();
  byId(isOpen ? "drawer" : "move-time").querySelector("button")?.focus();
}

export function showClock() {
  const { clock } = app;
  if (clock === null) return;
  const flags = [clock.frozen && "frozen", clock.held && "held", clock.moved_ms !== 0 && `moved by ${signed(clock.moved_ms)}`].filter((flag) => flag);
  drawer ??= newDrawer();
  drawer.hidden = !isOpen;
  morph(
    byId("clock"),
    el("div", { class: "line" },
      el("span", {}, el("time", { id: "now", class: "digits" }, time()), " ", el("span", { class: "note" }, flags.join(", ") || "the host's time")),
      el("span", { class: "note" }, "Cleanup pass in ", clock.next_cleanup_ms === null ? "–" : due(clock.next_cleanup_ms, { calm: true })),
      el("span", { class: "note" }, `Offsets are kept for ${duration(clock.retention_ms).replace(" 00:00:00", "")}${clock.assumed_retention ? " (assumed)" : ""}`),
      clock.test_api
        ? el("span", { id: "move-time" },
          button("Move time", toggleDrawer, { "aria-expanded": String(isOpen), "aria-controls": "drawer", "aria-keyshortcuts": "t" }))
        : el("span", { class: "note", id: "read-only" }, "Read-only: the test API is off")),
    drawer,
  );
  for (const each of drawer.querySelectorAll("[data-when]")) each.disabled = each.dataset.when === "frozen" ? !clock.frozen && !clock.held : clock.frozen;
}

export function tickClock() {
  const shown = byId("now");
  if (shown !== null) setText(shown, time());
}

const time = () => `${moment(now())} UTC`;

// Move time, and report what that removed.
export function advance(body) {
  const options = Object.fromEntries(["cleanup", "sessions", "logs"].map((option) => [option, drawer.querySelector(`[name=${option}]`).checked]));
  return act(() => post("/clock/advance", { ...body, ...options }), outcome);
}

function outcome(body) {
  const moved = body.moved_ms === 0 ? "Time did not move" : `Time moved by ${signed(body.moved_ms)}`;
  const parts = [
    `${counted(body.offsets.length, "offset")} removed`, `${counted(body.groups.length, "group")} deleted`,
    `${counted(body.sessions.length, "session")} ended`, `${counted(body.transactions.length, "transaction")} aborted`,
  ];
  const sentences = body.offsets.slice(0, SENTENCES).map((each) => el("li", {}, each.explanation));
  return el("div", {}, `${moved}: ${parts.join(", ")}.`, sentences.length > 0 ? el("ul", {}, sentences) : null);
}

function newDrawer() {
  const amount = el("input", { type: "number", value: "1", step: "any", inputmode: "decimal", "aria-label": "Amount" });
  const unit = el("select", { "aria-label": "Unit" }, ["days", "hours", "minutes", "seconds"].map((each) => el("option", {}, each)));
  const option = (name, text, checked) => el("label", {}, el("input", { type: "checkbox", name, checked }), ` ${text}`);
  const move = (event) => {
    event.preventDefault();
    advance({ [unit.value]: Number(amount.value) });
  };
  return el("form", { id: "drawer", "aria-label": "Move time", submit: move },
    el("fieldset", {}, el("legend", {}, "Move time"), STEPS.map(([label, body]) => button(label, () => advance(body))),
      el("span", { class: "pair" }, amount, unit, el("button", { type: "submit" }, "Move"))),
    el("fieldset", {}, el("legend", {}, "A move also"),
      option("cleanup", "runs a cleanup pass", true), option("sessions", "ends sessions"), option("logs", "ages user data")),
    el("fieldset", {}, el("legend", {}, "Now"), button("Run a cleanup pass", () => act(() => post("/cleanup"), outcome)),
      button("Freeze", () => act(() => post("/clock/freeze")), { "data-when": "running" }),
      button("Resume", () => act(() => post("/clock/resume")), { "data-when": "frozen" })),
  );
}
