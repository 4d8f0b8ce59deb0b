// One topic: its partitions, the groups that read it, and its settings.

import { get } from "../api.js";
import { app } from "../app.js";
import { leader, leaders } from "../brokers.js";
import { address, ago, badge, card, count, cut, el, facts, lag, name, note, size, table } from "../ui.js";
import { groupTable } from "./groups.js";

const PARTITIONS = 50;
const GROUPS = 20;

export const section = "topics";
export const title = ({ topic = "" }) => `Topic ${topic}`;

export async function load({ topic = "", cursor }) {
  const [partitions, groups, settings, broker] = await Promise.all([
    get("/partitions", { topic, cursor, limit: PARTITIONS }),
    get("/groups/summary", { topic, sort: "trouble", limit: GROUPS }),
    get("/topics/settings", { topic }),
    get("/broker"),
  ]);
  return { ...partitions, groups, settings: settings.settings, brokers: broker.brokers };
}

export function show({ partitions, cursor, groups, settings, brokers }, { topic = "", cursor: from }) {
  const most = Math.max(...partitions.map(records), 0);
  const set = settings.filter((each) => each.source !== "default");
  const others = settings.filter((each) => each.source === "default");
  const sum = (value) => partitions.reduce((total, each) => total + value(each), 0);
  const isWhole = cursor === null && from === undefined;
  return [
    el("div", { class: "heading" }, el("h1", {}, "Topic ", name(topic)),
      app.clock.test_api && el("a", { class: "button", href: address("records", { topic }) }, "Browse records")),
    isWhole && facts(
      ["Partitions", count(partitions.length)],
      ["Records", count(sum(records))],
      ["Size", size(partitions.some((each) => each.size_bytes === null) ? null : sum((each) => each.size_bytes))],
      ["Set here", settings.length === 0 ? "Not known" : set.length === 0 ? "Nothing: all settings are defaults" : count(set.length)],
    ),
    card("Partitions",
      table("Partitions", [
        { label: "Partition", cell: ({ partition }) => (app.clock.test_api ? el("a", { href: address("records", { topic, partition }) }, partition) : partition) },
        { label: "Records", kind: "lag-cell", cell: (row) => lag(records(row), most, "") },
        { label: "Start", kind: "num", cell: (row) => count(row.log_start_offset) },
        { label: "End", kind: "num", cell: (row) => count(row.log_end_offset) },
        { label: "Size", kind: "num", cell: (row) => size(row.size_bytes) },
        { label: "Created", kind: "num", cell: (row) => ago(row.created_ms) },
        ...(brokers > 1 ? replicas() : []),
      ], partitions, { key: (row) => row.partition, empty: "No partition." }),
      !isWhole && note(from !== undefined && [el("a", { href: address("topic", { topic }) }, "First partitions"), " "],
        cursor !== null && el("a", { href: address("topic", { topic, cursor }) }, "Next partitions"))),
    card("Groups", groupTable(groups.groups, "No group has committed an offset of this topic or is subscribed to it."),
      cut(groups.groups.length, Object.values(groups.states).reduce((total, each) => total + each, 0), "groups")),
    card("Settings",
      settings.length === 0 ? note("The settings of a watched cluster are not read.")
        : set.length === 0 ? note("All settings are defaults.") : settingsTable(set),
      settings.length > 0 && el("details", {}, el("summary", {}, `${others.length} defaults`), settingsTable(others))),
  ];
}

const records = (row) => (row.log_end_offset ?? 0) - (row.log_start_offset ?? 0);

function replicas() {
  return [
    { label: "Leader", cell: (row) => leader(row.leader) },
    { label: "Replicas", cell: (row) => row.replicas.join(", ") },
    { label: "In sync", cell: (row) => (row.isr.length < row.replicas.length ? badge(row.isr.join(", ") || "none", "warn") : row.isr.join(", ")) },
    ...(app.clock.test_api ? [{ label: "Move leader to", cell: leaders }] : []),
  ];
}

function settingsTable(settings) {
  return table("Settings", [
    { label: "Setting", kind: "wide", cell: (row) => el("code", {}, row.name) },
    { label: "Value", cell: (row) => name(row.value ?? "–") },
    { label: "Set by", cell: (row) => row.source },
    { label: "What it does", kind: "wide note", cell: (row) => row.description },
  ], settings, { key: (row) => row.name, empty: "None." });
}
