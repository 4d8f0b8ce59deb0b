// The first page: the address to copy, the broker's state, and the groups that need attention.

import { get, post } from "../api.js";
import { act, app } from "../app.js";
import { address, badge, button, card, copyButton, count, counted, cut, el, facts, note, table } from "../ui.js";
import { moment, span } from "../time.js";
import { groupTable } from "./groups.js";

const GROUPS = 15;
const WARNINGS = 5;

export const title = () => "Overview";

export async function load() {
  const [broker, groups, faults] = await Promise.all([get("/broker"), get("/groups/summary", { sort: "trouble", limit: GROUPS }), get("/faults")]);
  const { brokers, controller } = broker.watches === null && broker.brokers > 1 ? await get("/brokers") : { brokers: [] };
  return { broker, brokers, controller, groups, faults: faults.faults };
}

export function show({ broker, brokers, controller, groups, faults }) {
  return [
    el("h1", { class: "visually-hidden" }, "Overview"),
    el("div", { class: "pair-of-cards" },
      broker.watches === null ? connect(broker.listeners) : watched(broker.watches),
      card(broker.watches === null ? "Broker" : "Watch",
        facts(
          ["State", broker.ready ? "Ready" : badge(broker.watches === null ? "Stopping" : "Not ready", "bad")],
          ["Uptime", span(broker.uptime_ms)],
          ["Version", broker.watches === null ? `${broker.version}, node ${broker.node_id}` : broker.version],
          ["Topics", el("a", { href: address("topics") }, counted(broker.topics, "topic"))],
          ["Groups", counted(broker.groups, "group"), ", ", counted(broker.offsets, "offset")],
          ["Warnings", broker.warnings.count === 0 ? "None" : badge(broker.warnings.count, "warn")],
        ),
        broker.failure && el("p", { class: "problem" }, broker.failure))),
    brokers.length > 1 && card("Brokers",
      brokerTable(brokers, controller),
      app.clock.test_api && el("p", { class: "actions" },
        button("Restart all", () => act(() => post("/brokers/restart", {}))),
        button("Elect preferred leaders", () => act(() => post("/brokers/preferred", {}), elected)))),
    card("Groups",
      note(summary(groups)),
      groupTable(groups.groups),
      cut(groups.groups.length, groups.total, "groups", el("a", { href: address("groups") }, "All groups"))),
    faults.length > 0 && card("Faults",
      el("ul", { class: "plain" }, faults.map((each) => el("li", {}, each.explanation))), el("a", { href: address("faults") }, "Change faults")),
    broker.warnings.count > 0 && card("Warnings",
      el("ul", { class: "plain" }, broker.warnings.last.slice(0, WARNINGS).map((each) => el("li", {},
        el("span", { class: "note digits" }, `${moment(each.at_ms)} `), each.event, " ",
        el("span", { class: "note name" }, Object.entries(each.fields).map(([field, value]) => `${field}=${value}`).join(" "))))),
      cut(Math.min(broker.warnings.last.length, WARNINGS), broker.warnings.count, "warnings, the newest first")),
  ];
}

function connect([first, ...others]) {
  return card("Connect",
    el("p", { class: "copy-line" }, el("code", { id: "bootstrap" }, first.address), copyButton(first.address)),
    note(el("code", {}, "bootstrap.servers"), first.protocol === "PLAINTEXT" ? ", without a login" : `, ${first.protocol}`),
    others.map((each) => note(el("code", {}, each.address), ` ${each.name}`, each.name === each.protocol ? "" : `, ${each.protocol}`)));
}

// Of several brokers in one process: `tidemark.brokers`.
function brokerTable(brokers, controller) {
  const change = (row) => {
    const one = (word, path, body = {}, whole = word) =>
      button(word, () => act(() => post(`/brokers/${row.node_id}/${path}`, body)), { key: word, "aria-label": `${whole} broker ${row.node_id}` });
    if (row.cut_off) return one("Reconnect", "reconnect");
    if (!row.running) return one("Start", "start");
    return el("span", { class: "actions" }, one("Stop", "stop"), one("Kill", "kill"), el("span", { class: "note" }, "Cut off from"),
      ["clients", "controller", "leaders"].map((from) => one(from, "cut_off", { from }, `Cut off from ${from}:`)));
  };
  return table("Brokers", [
    { label: "Broker", cell: (row) => row.node_id },
    { label: "Address", kind: "wide", cell: (row) => el("code", {}, row.address) },
    { label: "State", cell: (row) => [state(row), row.node_id === controller && " ", row.node_id === controller && badge("controller")] },
    { label: "Leads", kind: "num", cell: (row) => count(row.leads) },
    { label: "Group partitions", kind: "num short", cell: (row) => count(row.group_partitions) },
    { label: "Transaction partitions", kind: "num short", cell: (row) => count(row.transaction_partitions) },
    { label: "Connections", kind: "num", cell: (row) => count(row.connections) },
    ...(app.clock.test_api ? [{ label: "Change", kind: "wide", cell: change }] : []),
  ], brokers, { key: (row) => row.node_id, empty: "" });
}

const state = ({ running, cut_off: cutOff }) => (cutOff ? badge("Cut off", "warn") : running ? "Runs" : badge("Stopped", "warn"));

const elected = (shown) => el("p", {}, shown.elected > 0
  ? `${counted(shown.elected, "partition")} ${shown.elected === 1 ? "is" : "are"} led by the first replica again.`
  : "No leader changed: the first replica of each partition leads, or is not in sync.");

// Of `tidemark watch`.
function watched(watches) {
  return card("Watched cluster",
    el("p", {}, el("code", {}, watches.bootstrap_servers), ", which is only read"),
    facts(
      ["Last response", `${span(watches.silent_ms)} ago`],
      ["Records read", count(watches.records)],
      ["Removed by compaction", watches.compacted_percent === null ? "–" : `${watches.compacted_percent} % of all records`],
      ["Read since", watches.since_ms === null ? "The first record" : moment(watches.since_ms)],
    ),
    watches.trouble && el("p", { class: "problem" }, watches.trouble));
}

function summary(groups) {
  const states = Object.entries(groups.states).map(([state, number]) => `${number} ${state}`).join(", ");
  const attention = groups.troubled === 0 ? "None needs attention" : groups.troubled === 1 ? "1 needs attention" : `${groups.troubled} need attention`;
  return groups.total === 0 ? "" : `${attention}. ${states}.`;
}
