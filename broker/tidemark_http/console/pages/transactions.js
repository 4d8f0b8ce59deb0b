// Transactional ids: open transactions and what they hold back first.

import { get } from "../api.js";
import { setParams } from "../app.js";
import { ago, badge, card, count, counted, cut, due, el, filters, groupLink, name, note, search, table, topicLink } from "../ui.js";

const ROWS = 200;
const SHOWN = 20; // partitions, or offsets, of one transaction
const OFFSETS = "__consumer_offsets"; // what is held back there is not read by consumers
const OPEN = ["Hanging", "Ongoing", "PrepareCommit", "PrepareAbort"];

export const title = () => "Transactions";

export async function load({ topic }) {
  return get("/transactions", { topic: topic || null, limit: ROWS });
}

export function show({ transactions, cursor }, { topic = "" }) {
  const open = transactions.filter((each) => OPEN.includes(each.state)).sort((one, other) => held(other) - held(one));
  const ended = transactions.filter((each) => !OPEN.includes(each.state));
  return [
    el("h1", {}, "Transactions"),
    filters(search("Topic", topic, { placeholder: "any", change: (event) => setParams({ topic: event.target.value }) })),
    card("Open", open.length === 0 ? el("p", { class: "empty" }, "No transaction is open.") : open.map(one)),
    card("Ended", table("Transactional ids without an open transaction", [
      { label: "Transactional id", kind: "wide", cell: (row) => name(row.transactional_id ?? "–") },
      { label: "State", cell: (row) => row.state },
      { label: "Producer", kind: "num", cell: (row) => `${row.producer_id}, epoch ${row.producer_epoch}` },
      { label: "Last used", kind: "num", cell: (row) => ago(row.last_update_ms) },
      { label: "Id expires in", kind: "num", cell: (row) => due(row.expires_ms, { calm: true }) },
    ], ended, { key: (row) => row.transactional_id, empty: "No other transactional id." }),
    cursor !== null && note(`Only the first ${ROWS} are shown.`)),
  ];
}

const held = (transaction) => transaction.partitions.reduce((total, each) => total + (each.blocks && each.topic !== OFFSETS ? each.records_held_back : 0), 0);

function one(each) {
  const hanging = each.state === "Hanging";
  const times = [each.started_ms !== null && [", open since ", ago(each.started_ms)], each.aborted_ms !== null && [", times out in ", due(each.aborted_ms, { calm: true })]];
  const pending = (offset, index) => [index > 0 ? ", " : "", groupLink(offset.group), " ", name(offset.topic), ` ${offset.partition}`];
  const blocking = each.partitions.filter((partition) => partition.records_held_back > 0);
  return el("article", { key: `${each.transactional_id} ${each.producer_id} ${each.partitions[0]?.topic}`, class: "item" },
    el("div", { class: "heading" },
      el("h3", {}, each.transactional_id === null ? "(no transactional id)" : name(each.transactional_id)),
      badge(each.state, hanging ? "bad" : ""),
      held(each) > 0 && badge(`holds back ${counted(held(each), "record")}`, "warn")),
    note(`Producer ${each.producer_id}, epoch ${each.producer_epoch}`, times),
    el("p", {}, each.explanation),
    blocking.length > 0 && table("What it holds back", [
      { label: "Partition", kind: "wide", cell: (row) => [topicLink(row.topic), ` ${row.partition}`] },
      { label: "From offset", kind: "num", cell: (row) => count(row.last_stable_offset) },
      { label: "Log end", kind: "num", cell: (row) => count(row.high_watermark) },
      { label: "Held back", kind: "num", cell: (row) => count(row.records_held_back) },
      { label: "By", cell: (row) => (row.blocks ? "this transaction" : "an earlier one") },
    ], blocking.slice(0, SHOWN), { key: (row) => `${row.partition} ${row.topic}`, empty: "" }),
    cut(Math.min(blocking.length, SHOWN), blocking.length, "partitions"),
    each.offsets.length > 0 && note("Pending offsets: ", each.offsets.slice(0, SHOWN).map(pending),
      each.pending_offsets > SHOWN && ` and ${count(each.pending_offsets - SHOWN)} more`));
}
