// Consumer groups, those that need attention first, or by name.

import { get } from "../api.js";
import { setParams } from "../app.js";
import { address, badge, card, count, cut, due, el, filters, groupLink, lag, search, select, table } from "../ui.js";

const ROWS = 50;
const TROUBLES = { expires_soon: "expires soon", unread: "no member", rebalancing: "rebalancing" };

export const title = () => "Groups";

export async function load({ search, by, cursor }) {
  return get("/groups/summary", { search, limit: ROWS, ...(by === "name" ? { cursor } : { sort: "trouble" }) });
}

export function show(found, { search: part = "", by = "trouble", cursor }) {
  const more = found.cursor && el("a", { href: address("groups", { search: part, by, cursor: found.cursor }) }, "Next");
  return [
    el("h1", {}, "Groups"),
    filters(
      search("Search", part, { placeholder: "part of a group id", input: (event) => setParams({ search: event.target.value, cursor: null }) }),
      select("First", by, [["trouble", "what needs attention"], ["name", "by name"]], (chosen) => setParams({ by: chosen, cursor: null }))),
    card("", groupTable(found.groups, part ? "No group has this in its id." : undefined),
      cut(found.groups.length, found.total, by === "name" ? "groups" : "groups: search, or list them by name", more)),
    cursor && el("p", {}, el("a", { href: address("groups", { search: part, by }) }, "First page")),
  ];
}

// lines: of /v1/groups/summary
export function groupTable(lines, empty = "No group. One appears when a consumer joins it or commits an offset.") {
  const most = Math.max(...lines.map((each) => each.lag ?? 0), 0);
  return table("Groups", [
    { label: "Group", kind: "wide", cell: (row) => groupLink(row.group) },
    { label: "State", cell: (row) => [row.state, row.trouble.map((each) => [" ", badge(TROUBLES[each], "warn")])] },
    { label: "Members", kind: "num", cell: (row) => count(row.members) },
    { label: "Lag", kind: "lag-cell", cell: (row) => lag(row.lag, most, row.trouble.includes("unread") ? "warn" : "", row.without_offset) },
    { label: "Next expiry", kind: "num wide", cell: (row) => due(row.next_expiry_ms) },
  ], lines, { key: (row) => row.group, empty });
}
