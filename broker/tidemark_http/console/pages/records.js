// Records of a topic: by partition, from the end, an offset or a time.

import { get, post } from "../api.js";
import { act, app, go, route, setParams } from "../app.js";
import { FORMATS, preview, whole } from "../content.js";
import { address, ago, button, card, checkbox, count, cut, el, field, filters, input, kept, name, note, opener, search, select, table, topicLink } from "../ui.js";
import { moment } from "../time.js";

const LAST = { one: 25, all: 10 }; // records at the end of a partition
const STARTS = [["end", "the end"], ["beginning", "the beginning"], ["offset", "an offset"], ["time", "a time (UTC)"]];
const MOST = 1_000; // of all partitions
const PAGE = 100;
const PREVIEW_BYTES = 200;
const DETAIL_BYTES = 1_000_000;
const TOPICS = 200;

export const needsTestApi = true;
export const title = ({ topic }) => (topic ? `Records of ${topic}` : "Records");

const opened = new Map(); // by key: the record, once it is read
let format = null;
let form = null;
let seen = {}; // what was read, and of which version of the topic

export async function load({ topic, partition, start = "end", at, committed, cursor }) {
  if (!topic) return { topics: await get("/topics", { limit: TOPICS }) };
  const isEnd = start === "end";
  const beginning = {
    end: { last: partition ? LAST.one : LAST.all }, beginning: {}, offset: { from_offset: at || 0 }, time: { from_time_ms: at ? Date.parse(`${at}Z`) : 0 },
  }[start];
  const { partitions } = await get("/partitions", { topic, limit: MOST });
  const version = JSON.stringify([topic, partition, start, at, committed, cursor, partitions.map((each) => [each.log_start_offset, each.log_end_offset])]);
  if (version === seen.version) return seen.found; // records are read again only if there are others
  const found = await get("/records", {
    topic, partition: partition || null, ...beginning, committed: committed ? "true" : null, bytes_max: PREVIEW_BYTES,
    ...(isEnd ? { limit: MOST } : { limit: PAGE, cursor }),
  });
  if (isEnd) found.records = found.records.sort((one, other) => other.timestamp - one.timestamp || other.offset - one.offset).slice(0, PAGE);
  seen = { version, found: { ...found, partitions: partitions.length } };
  return seen.found;
}

export function problem(error, params) {
  return [el("h1", {}, title(params)), el("p", { class: "problem", role: "alert" }, error.message), filter(params, 0)];
}

export function show(found, params) {
  if (found.topics !== undefined) {
    return [el("h1", {}, "Records"), card("Choose a topic", table("Topics", [
      { label: "Topic", kind: "wide", cell: (row) => el("a", { href: address("records", { topic: row.topic }) }, name(row.topic)) },
      { label: "Records", kind: "num", cell: (row) => count(row.records) },
    ], found.topics.topics, { key: (row) => row.topic, empty: "No topic." }), cut(found.topics.topics.length, found.topics.total, "topics"))];
  }
  form ??= newForm();
  const isEnd = (params.start ?? "end") === "end";
  return [
    el("h1", {}, "Records of ", topicLink(params.topic)),
    filter(params, found.partitions),
    card("", table("Records", [
      { label: "Partition", kind: "num", cell: (row) => row.partition },
      { label: "Offset", kind: "num", cell: (row) => opener(count(row.offset), opened.has(keyOf(row)), () => toggle(row)) },
      { label: "Written", cell: (row) => ago(row.timestamp) },
      { label: "Key", cell: (row) => preview(row.key) },
      { label: "Value", kind: "wide", cell: (row) => preview(row.value) },
    ], found.records, { key: keyOf, detail: (row) => (opened.has(keyOf(row)) ? detail(opened.get(keyOf(row))) : null), empty: "No record here." }),
    isEnd
      ? note(params.partition ? `The last ${LAST.one}` : `The last ${LAST.all} of each partition, at most ${PAGE}`, ", the newest first.")
      : found.cursor && el("p", {}, el("a", { href: address("records", { ...params, cursor: found.cursor }) }, "Next records"))),
    card("Write a record", kept(form)),
  ];
}

const keyOf = (row) => `${row.topic} ${row.partition} ${row.offset}`;

async function toggle(row) {
  if (!opened.delete(keyOf(row))) {
    opened.set(keyOf(row), row);
    const found = await get("/records", { topic: row.topic, partition: row.partition, from_offset: row.offset, limit: 1, bytes_max: DETAIL_BYTES });
    if (opened.has(keyOf(row)) && found.records[0]?.offset === row.offset) opened.set(keyOf(row), found.records[0]);
  }
  await app.refresh();
}

function detail(record) {
  const show = (chosen) => {
    format = chosen;
    app.refresh();
  };
  return el("div", { class: "record" },
    el("div", { class: "tabs", role: "group", "aria-label": "Format" },
      [null, ...FORMATS].map((each) => button(each ?? "Auto", () => show(each), { "aria-pressed": String(format === each) }))),
    el("h3", {}, "Key"), whole(record.key, format),
    el("h3", {}, "Value"), whole(record.value, format),
    record.headers.length > 0 && [el("h3", {}, "Headers"), el("dl", { class: "headers" }, record.headers.map(headerOf))],
    note(`Timestamp ${record.timestamp}, ${moment(record.timestamp)} UTC`));
}

const headerOf = ([header, value]) => [el("dt", {}, name(header)), el("dd", {}, preview(value))];

function filter({ topic, partition = "", start = "end", at = "", committed }, partitions) {
  const change = (values) => setParams({ cursor: null, ...values });
  const place = { value: at, "data-follow": "", change: (event) => change({ at: event.target.value }) };
  const numbers = Array.from({ length: partitions }, (_, index) => [index, index]);
  return filters(
    search("Topic", topic, { type: "text", change: (event) => go("records", { topic: event.target.value }) }),
    select("Partition", partition, [["", "all"], ...numbers], (chosen) => change({ partition: chosen })),
    select("From", start, STARTS, (chosen) => change({ start: chosen, at: null })),
    start === "offset" && input("Offset", { key: "offset", type: "number", min: "0", ...place }),
    start === "time" && input("Time", { key: "time", type: "datetime-local", step: "1", ...place }),
    checkbox("committed only", Boolean(committed), (checked) => change({ committed: checked })));
}

function newForm() {
  const made = el("form", { id: "produce", "aria-label": "Write a record", submit: write },
    el("div", { class: "filters" },
      input("Key", { name: "key", placeholder: "none" }),
      input("Partition", { name: "partition", inputmode: "numeric", placeholder: "by key" })),
    field("Value", el("textarea", { name: "value", rows: "3", spellcheck: "false" })),
    field("Headers, one per line", el("textarea", { name: "headers", rows: "2", placeholder: "name: value", spellcheck: "false" })),
    el("p", {}, el("button", { type: "submit" }, "Write"), " ",
      el("label", {}, el("input", { type: "checkbox", name: "tombstone" }), " a tombstone: the value is null")));
  return made;
}

async function write(event) {
  event.preventDefault();
  const fields = form.elements;
  const text = (field) => fields.namedItem(field).value;
  const headers = text("headers").split("\n").filter((line) => line.trim() !== "").map((line) => {
    const [header, ...value] = line.split(":");
    return [header.trim(), value.join(":").trim()];
  });
  const record = { value: fields.namedItem("tombstone").checked ? null : text("value"), headers };
  if (text("key") !== "") record.key = text("key");
  if (text("partition") !== "") record.partition = /^\d{1,9}$/.test(text("partition")) ? Number(text("partition")) : text("partition");
  const written = ({ records: [found] }) => el("p", {}, "Written: partition ", String(found.partition), ", offset ", count(found.offset), ".");
  if (await act(() => post("/records", { topic: route().params.topic, records: [record] }), written)) form.reset();
}
