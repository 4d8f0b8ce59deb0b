// One group: its lag by partition and who owns it, when its offsets expire and why, members, rebalances.

import { ApiError, get } from "../api.js";
import { advance } from "../clock.js";
import { app } from "../app.js";
import { coordinators, leader } from "../brokers.js";
import * as share from "./share.js";
import { address, ago, badge, button, card, count, counted, cut, due, el, facts, lag, name, note, ranges, table, topicLink } from "../ui.js";

const PARTITIONS = 50;
const MEMBERS = 50;
const REBALANCES = 10;
const REMOVALS = 20;

export const section = "groups";
export const title = ({ group = "" }) => `Group ${group === "" ? "(empty id)" : group}`;

export async function load({ group = "", topic }) {
  try {
    const [groups, behind, rules, broker, rebalances] = await Promise.all([
      get("/groups", { group }),
      get("/lag", { group, topic, sort: "lag", limit: PARTITIONS }),
      get("/expiry/rules", { group }),
      get("/broker"),
      get("/rebalances", { group, limit: REBALANCES }).catch((error) => {
        if (!(error instanceof ApiError) || error.code !== "not_watched") throw error;
        return { rebalances: null };
      }),
    ]);
    const shared = groups.groups[0].type === "share" ? await share.load(group) : null;
    return { group: groups.groups[0], behind, rules: rules.rules, brokers: broker.brokers, rebalances: rebalances.rebalances, shared };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return { problem: error.message, removals: (await get("/expiry/log", { group, limit: REMOVALS })).removals };
  }
}

export function show({ group, behind, rules, brokers, rebalances, shared, problem, removals }, params) {
  const heading = el("h1", {}, "Group ", name(params.group ?? "", "(empty id)"));
  if (problem !== undefined) return [heading, el("p", { class: "problem", role: "alert" }, problem), removed(removals)];
  const settled = group.state === "Stable" || group.state === "Empty";
  return [
    el("div", { class: "heading" }, heading, settled ? badge(group.state) : badge(group.state, "warn"),
      app.clock.test_api && group.next_expiry_ms !== null && button("Move time to its next expiry", () => advance({ to: "next_expiry", group: group.group }))),
    el("p", { class: "lead", id: "why" }, group.explanation),
    group.waits_for && el("p", { class: "lead" }, group.waits_for),
    facts(
      shared === null && ["Lag", count(behind.lag), behind.without_offset > 0 && el("small", {}, ` +${counted(behind.without_offset, "partition")} without offset`)],
      ["Members", count(group.members.length)],
      ["Generation", count(group.generation)],
      ["Protocol", [group.type, group.protocol].filter((each) => each).join(", ")],
      ["State since", ago(group.state_since_ms)],
      shared === null && ["Group expires", due(group.due_ms)],
      brokers > 1 && group.coordinator !== null && ["Coordinator", leader(group.coordinator.node_id)],
      brokers > 1 && group.coordinator !== null && moves(coordinators(group)),
    ),
    ...(shared === null ? [] : share.show(shared)),
    shared === null && card("Lag by partition", partitions(behind, group.members, params)),
    shared === null && card("Expiry", rules.length === 0 ? el("p", { class: "empty" }, "No committed offset.") : el("ul", { class: "rules" }, rules.map(rule))),
    card("Members", members(group)),
    rebalances !== null && card("Last rebalances", table("Last rebalances", [
      { label: "When", cell: (row) => ago(row.at_ms) },
      { label: "Reason", kind: "wide", cell: (row) => el("bdi", { class: "text" }, row.reason) },
      { label: "Generation", kind: "num", cell: (row) => count(row.epoch) },
      { label: "Members", kind: "num", cell: (row) => count(row.members) },
    ], rebalances, { key: (row) => row.number, empty: "No rebalance since the start of the broker." })),
  ];
}

const moves = (buttons) => buttons && ["Move coordinator to", buttons];

function partitions(behind, members, params) {
  // A member of a streams group has tasks, not partitions.
  const owning = members.filter((member) => member.process_id === undefined);
  const owners = new Map(owning.flatMap((member) => Object.entries(member.assigned ?? {}).flatMap(
    ([topic, numbers]) => numbers.map((partition) => [`${partition} ${topic}`, member]))));
  const records = (row) => row.lag ?? row.log_end_offset - row.log_start_offset;
  const most = Math.max(...behind.partitions.map(records), 0);
  const owner = (row) => owners.get(`${row.partition} ${row.topic}`);
  const all = params.topic !== undefined && el("a", { href: address("group", { group: params.group }) }, "All topics");
  return [
    table("Lag by partition", [
      { label: "Partition", kind: "wide", cell: (row) => [topicLink(row.topic), ` ${row.partition}`] },
      { label: "Lag", kind: "lag-cell", cell: (row) => lag(row.lag, most, members.length === 0 ? "warn" : "") },
      { label: "Committed", kind: "num", cell: (row) => (row.offset === null ? el("span", { class: "note" }, "no offset") : count(row.offset)) },
      { label: "Log end", kind: "num", cell: (row) => count(row.log_end_offset) },
      { label: "Owner", cell: (row) => (owner(row) ? name(owner(row).client_id ?? owner(row).member_id) : el("span", { class: "note" }, "–")) },
      { label: "Commit", cell: (row) => [ago(row.committed_ms), row.metadata && [" ", el("span", { class: "note" }, name(row.metadata))]] },
      { label: "Expires in", kind: "num", cell: (row) => due(row.due_ms) },
    ], behind.partitions, { key: (row) => `${row.partition} ${row.topic}`, empty: "No partition: the group has no offsets and no subscription." }),
    cut(behind.partitions.length, behind.total, "partitions, the greatest lag first: open a topic to see its own", all || null),
  ];
}

function rule(each) {
  const soonest = each.first_due_ms === null ? null : due(each.first_due_ms);
  const others = each.last_due_ms !== null && each.last_due_ms !== each.first_due_ms ? [", the last in ", due(each.last_due_ms)] : "";
  const verb = each.offsets === 1 ? " expires in " : others ? ", the first expires in " : " expire in ";
  return el("li", { key: each.rule },
    el("p", {}, el("strong", {}, counted(each.offsets, "offset")), soonest === null ? " will not expire" : [verb, soonest, others]),
    note(each.offsets > 1 && "The first of them: ", each.explanation));
}

function members({ type, members: found }) {
  const given = type === "streams" ? [
    ...[["Active tasks", "active"], ["Standby tasks", "standby"], ["Warm-up tasks", "warmup"]].map(
      ([label, role]) => ({ label, cell: (row) => owned(Object.entries(row.assigned[role])) })),
    { label: "Gives up", cell: (row) => owned(Object.values(row.revoking).flatMap(Object.entries), "–") },
    { label: "Process", kind: "wide", cell: (row) => [name(row.process_id), row.endpoint !== null && [" ", el("small", {}, name(`${row.endpoint.host}:${row.endpoint.port}`))]] },
  ] : [
    { label: "Owns", kind: "wide", cell: (row) => (row.assigned === null ? "not known" : owned(Object.entries(row.assigned))) },
    { label: "Gives up", cell: (row) => owned(Object.entries(row.revoking ?? {}), "–") },
  ];
  return [
    table("Members", [
      { label: "Client", kind: "wide", cell: (row) => [name(row.client_id ?? "–"), " ", el("small", {}, row.client_host ?? "")] },
      ...given,
      { label: "State", cell: (row) => row.state ?? "–" },
      { label: "Member id", kind: "wide", cell: (row) => [name(row.member_id), " ", row.instance_id !== null && el("small", {}, "instance ", name(row.instance_id))] },
    ], found.slice(0, MEMBERS), { key: (row) => row.member_id, empty: "No member." }),
    cut(Math.min(found.length, MEMBERS), found.length, "members"),
  ];
}

function owned(assigned, none = "nothing") {
  const topics = assigned.filter(([, numbers]) => numbers.length > 0);
  if (topics.length === 0) return none === "–" ? none : el("span", { class: "note" }, none);
  return topics.map(([topic, numbers], index) => [index > 0 ? ", " : "", name(topic), ` ${ranges(numbers)}`]);
}

function removed(removals) {
  if (removals.length === 0) return null;
  return card("Removed offsets", el("ul", { class: "plain" }, removals.map((each) => el("li", {}, each.explanation))));
}
