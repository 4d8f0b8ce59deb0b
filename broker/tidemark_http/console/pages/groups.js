// Consumer groups, those that need attention first, or by name.

import { get } from "../api.js";
import { setParams } from "../app.js";
import { address, badge, card, count, cut, due, el, field, groupLink, lag, table } from "../ui.js";

const ROWS = 50;
const TROUBLES = { expires_soon: "expires soon", unread: "no member", rebalancing: "rebalancing" };

export const title = () => "Groups";

export async function load({ search, by, cursor }) {
  return get("/groups/summary", { search, limit: ROWS, ...(by === "name" ? { cursor } : { sort: "trouble" }) });
}

export function show(found, { search = "", by = "trouble", cursor }) {
  const more = found.cursor && el("a", { href: address("groups", { search, by, cursor: found.cursor }) }, "Next");
  return [
    el("h1", {}, "Groups"),
    el("form", { key: "filters", class: "filters", role: "search", submit: (event) => event.preventDefault() },
      field("Search", el("input", { type: "search", "data-follow": "", value: search, placeholder: "part of a group id", "aria-keyshortcuts": "/", spellcheck: "false",
        input: (event) => setParams({ search: event.target.value, cursor: null }) })),
      field("First", el("select", { "data-follow": "", change: (event) => setParams({ by: event.target.value, cursor: null }) },
        el("option", { value: "trouble", selected: by === "trouble" }, "what needs attention"), el("option", { value: "name", selected: by === "name" }, "by name")))),
    card("", groupTable(found.groups, search ? "No group has this in its id." : undefined),
      cut(found.groups.length, found.total, by === "name" ? "groups" : "groups: search, or list them by name", more)),
    cursor && el("p", {}, el("a", { href: address("groups", { search, by }) }, "First page")),
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
