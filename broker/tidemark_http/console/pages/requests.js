// The last requests of clients. A row opens to the request and its response.

import { get } from "../api.js";
import { app, setParams } from "../app.js";
import { address, badge, button, card, checkbox, count, el, filters, groupLink, name, note, opener, search, table, topicLink } from "../ui.js";
import { moment } from "../time.js";

const ROWS = 50;
const NAMES = 3; // topics in one row
const FILTERS = ["api", "group", "topic", "client_id"];

export const needsTestApi = true;
export const title = () => "Requests";

const opened = new Map(); // by number: the request with its messages
let paused = null; // what is shown while the list is paused
let apis = null;

export async function load(params) {
  apis ??= (await get("/faults/fields", { search: "api" })).fields[0].schema.enum;
  if (paused !== null) return paused;
  const wanted = Object.fromEntries(FILTERS.map((each) => [each, params[each] || null]));
  return get("/requests", { ...wanted, failed: params.failed || null, last: ROWS, messages: "false" });
}

export function problem(error, params) {
  return [el("h1", {}, "Requests"), filter(params), el("p", { class: "problem", role: "alert" }, error.message)];
}

export function show(found, params) {
  const newest = [...found.requests].reverse();
  return [
    el("div", { class: "heading" }, el("h1", {}, "Requests"),
      button(paused === null ? "Pause" : "Resume", () => pause(found), { "aria-pressed": String(paused !== null), "aria-keyshortcuts": "p" }),
      paused !== null && badge("paused")),
    filter(params),
    card("", table("Requests", [
      { label: "Time", cell: (row) => opener(new Date(row.at_ms).toISOString().slice(11, 23), opened.has(row.number), () => toggle(row), `${moment(row.at_ms)} UTC, request ${row.number}`) },
      { label: "API", kind: "wide", cell: (row) => [row.api, " ", el("small", {}, `v${row.version}`)] },
      { label: "About", kind: "wide", cell: about },
      { label: "Client", cell: (row) => name(row.client_id) },
      { label: "Outcome", cell: outcome },
      { label: "ms", kind: "num", cell: (row) => (row.duration_ms === null ? "–" : count(row.duration_ms)) },
    ], newest, {
      key: (row) => row.number, tone: (row) => (hasFailed(row) ? "failed" : null), empty: "No request. Those of the console itself are not listed.",
      detail: (row) => (opened.has(row.number) ? messages(opened.get(row.number)) : null),
    }),
    note(`The last ${newest.length} that pass the filter, of ${count(found.count)}.`, found.evicted > 0 && ` The journal no longer holds ${count(found.evicted)}.`)),
  ];
}

function pause(found) {
  paused = paused === null ? found : null;
  app.refresh();
}

async function toggle(row) {
  if (!opened.delete(row.number)) {
    const [found] = (await get("/requests", { after: row.number - 1, limit: 1 })).requests;
    opened.set(row.number, found ?? { ...row, request: null, response: null });
  }
  await app.refresh();
}

const hasFailed = (row) => row.errors.length > 0 || row.outcome === "dropped" || row.outcome === "closed";

function outcome(row) {
  if (row.errors.length > 0) return row.errors.map((each) => badge(each, "bad"));
  return hasFailed(row) ? badge(row.outcome, "bad") : row.outcome;
}

function about(row) {
  const names = [...new Set(row.topics.map((each) => each.topic))];
  const found = [...row.groups.map(groupLink), ...row.transactional_ids.map((each) => name(each)), ...names.slice(0, NAMES).map(topicLink)];
  return [found.map((each, index) => [index > 0 ? ", " : "", each]), names.length > NAMES && ` and ${names.length - NAMES} topics`];
}

function messages(row) {
  const text = (message) => (message === null ? "none, or too long" : JSON.stringify(message, null, 2));
  return el("div", { class: "messages" },
    note(`Connection ${row.connection} of ${row.client_host}, ${row.principal}, to broker ${row.node_id}, listener ${row.listener}.`, row.faults.length > 0 && ` Faults that were applied: ${row.faults.join(", ")}.`),
    el("div", {}, el("h3", {}, `Request, ${count(row.request_bytes)} bytes`), el("pre", { tabindex: "0" }, text(row.request))),
    el("div", {}, el("h3", {}, `Response, ${count(row.response_bytes)} bytes`), el("pre", { tabindex: "0" }, text(row.response))));
}

function filter(params) {
  const by = (filter, label, more) => search(label, params[filter] ?? "", { placeholder: "any", change: (event) => setParams({ [filter]: event.target.value }), ...more });
  return filters(
    by("api", "API", { list: "apis" }), by("group", "Group"), by("topic", "Topic"), by("client_id", "Client id"),
    checkbox("errors only", params.failed === "true", (checked) => setParams({ failed: checked ? "true" : null })),
    el("datalist", { id: "apis" }, (apis ?? []).map((each) => el("option", {}, each))),
    Object.keys(params).length > 0 && el("a", { href: address("requests") }, "Clear"));
}
