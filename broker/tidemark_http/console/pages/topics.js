// Topics by name.

import { get } from "../api.js";
import { setParams } from "../app.js";
import { address, ago, badge, card, count, cut, el, filters, search, size, table, topicLink } from "../ui.js";

const ROWS = 50;

export const title = () => "Topics";

export async function load({ search, cursor }) {
  return get("/topics", { search, cursor, limit: ROWS });
}

export function show(found, { search: part = "", cursor }) {
  return [
    el("h1", {}, "Topics"),
    filters(search("Search", part, { placeholder: "part of a name", input: (event) => setParams({ search: event.target.value, cursor: null }) })),
    card("",
      table("Topics", [
        { label: "Topic", kind: "wide", cell: (row) => [topicLink(row.topic), row.internal && [" ", badge("internal")]] },
        { label: "Partitions", kind: "num", cell: (row) => count(row.partitions) },
        { label: "Records", kind: "num", cell: (row) => count(row.records) },
        { label: "Size", kind: "num", cell: (row) => size(row.size_bytes) },
        { label: "Created", kind: "num", cell: (row) => ago(row.oldest_partition_ms) },
      ], found.topics, { key: (row) => row.topic, empty: part ? "No topic has this in its name." : "No topic." }),
      cut(found.topics.length, found.total, "topics", found.cursor && el("a", { href: address("topics", { search: part, cursor: found.cursor }) }, "Next"))),
    cursor && el("p", {}, el("a", { href: address("topics", { search: part }) }, "First page")),
  ];
}
