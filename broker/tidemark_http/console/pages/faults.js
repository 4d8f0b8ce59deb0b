// The faults that are set, as sentences, and a form that sets one. The broker describes its fields.

import { get, post, remove } from "../api.js";
import { act } from "../app.js";
import { badge, button, card, counted, el, field, kept, note } from "../ui.js";

const COMMON = ["api", "group", "topic", "client_id"]; // filters that are always shown; the others follow in a drawer
const LABELS = { api: "API", client_id: "Client id", for_ms: "For ms" };

export const needsTestApi = true;
export const title = () => "Faults";

let fields = null;
let form = null;

export async function load() {
  fields ??= (await get("/faults/fields")).fields;
  return get("/faults");
}

export function show({ faults }) {
  form ??= newForm();
  return [
    el("div", { class: "heading" }, el("h1", {}, "Faults"), faults.length > 1 && button("Remove all", () => act(() => remove("/faults"), removedText))),
    card("Set", faults.length === 0 ? el("p", { class: "empty" }, "No fault is set.") : el("ul", { class: "rules", id: "faults" }, faults.map(one))),
    card("Set a fault", note("For requests that pass every filter, from now on. ", el("a", { href: "/docs/faults.md" }, "All about faults")), kept(form)),
  ];
}

const removedText = ({ removed }) => el("p", {}, `${counted(removed, "fault")} removed.`);

function one(each) {
  const releases = each.waiting > 0 || (each.active && Boolean(each.fault.block || each.fault.coordinator_away));
  const released = (shown) => el("p", {}, `${counted(shown.released, "request")} released.`);
  return el("li", { key: each.id, class: each.active ? "" : "ended" },
    el("p", {}, el("span", { class: "note digits" }, `${each.id} `), el("bdi", { class: "text" }, each.explanation),
      each.waiting > 0 && [" ", badge(`${counted(each.waiting, "request")} waiting`, "warn")]),
    el("p", { class: "actions" },
      releases && button("Release", () => act(() => post(`/faults/${each.id}/release`), released), { key: "release", "aria-label": `Release fault ${each.id}` }),
      button("Remove", () => act(() => remove(`/faults/${each.id}`)), { key: "remove", "aria-label": `Remove fault ${each.id}` })));
}

const role = (wanted) => fields.filter((each) => each.role === wanted);
const label = (name) => LABELS[name] ?? `${name[0].toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;
const values = ({ schema }) => schema.enum ?? schema.anyOf?.[0].enum;
const isCompleted = (each) => (values(each)?.length ?? 0) > 10; // of few values, one is chosen
const isFlag = ({ schema }) => schema.type === "boolean";
const isNumber = ({ schema }) => schema.type === "integer" || schema.type === "number";

function newForm() {
  const common = role("filter").filter((each) => COMMON.includes(each.name));
  const names = role("filter").map((each) => each.name);
  const isOfFilter = (each) => each.of.some((other) => names.includes(other)); // an option of a filter
  const others = [...role("filter").filter((each) => !COMMON.includes(each.name)), ...role("option").filter(isOfFilter)];
  const actions = el("select", { name: "action", "aria-label": "Action", change: showOptions },
    role("action").map((each) => el("option", { value: each.name }, `${label(each.name)}: ${each.description.split(";")[0]}`)));
  const made = el("form", { id: "fault", novalidate: true, "aria-label": "Set a fault", submit: add },
    el("fieldset", {}, el("legend", {}, "Requests"), common.map(input)),
    el("details", {}, el("summary", {}, "More filters"), el("fieldset", {}, others.map(input))),
    el("fieldset", {}, el("legend", {}, "Action"), actions,
      role("action").filter((each) => !isFlag(each)).map(input), role("option").filter((each) => !isOfFilter(each)).map(input)),
    el("fieldset", {}, el("legend", {}, "Ends after"), role("bound").filter((each) => each.name !== "once").map(input)),
    el("p", {}, el("button", { type: "submit" }, "Set the fault")),
    fields.filter(isCompleted).map((each) => el("datalist", { id: `values-${each.name}` }, values(each).map((value) => el("option", {}, value)))));
  showOptions({ target: actions });
  return made;
}

function input(each) {
  const more = { name: each.name, title: each.description, placeholder: each.role === "filter" ? "any" : null };
  const made = values(each) !== undefined && !isCompleted(each)
    ? el("select", more, el("option", { value: "" }, "–"), values(each).map((value) => el("option", {}, value)))
    : el("input", {
      ...more, list: isCompleted(each) ? `values-${each.name}` : null, inputmode: isNumber(each) ? "decimal" : null, autocomplete: "off", spellcheck: "false",
    });
  return field(label(each.name), made, { "data-field": each.name });
}

// Show the value and the options of the chosen action. delay_ms is an option of disk, too.
function showOptions({ target }) {
  const chosen = target.value;
  for (const place of target.closest("fieldset").querySelectorAll("[data-field]")) {
    const each = fields.find((other) => other.name === place.dataset.field);
    place.hidden = each.name !== chosen && !each.of.includes(chosen) && !(chosen === "disk" && each.name === "delay_ms");
  }
}

// The broker checks the fields: what is empty or hidden is not sent.
async function add(event) {
  event.preventDefault();
  const fault = {};
  for (const each of fields) {
    const found = form.elements.namedItem(each.name);
    if (found === null || found.value === "" || found.closest("label").hidden) continue;
    fault[each.name] = isNumber(each) && /^\d{1,15}(\.\d+)?$/.test(found.value) ? Number(found.value) : found.value;
  }
  const action = form.elements.namedItem("action").value;
  if (isFlag(fields.find((each) => each.name === action))) fault[action] = true;
  const done = await act(() => post("/faults", fault), (added) => el("p", {}, `Fault ${added.id}: ${added.explanation}`), form);
  if (done) {
    form.reset();
    showOptions({ target: form.elements.namedItem("action") });
  }
}
