// Elements, and the few components that pages are made of. Every text of the broker becomes a text node: none of it is ever
// parsed as HTML.
//
// A page builds its elements anew each time, and `morph` changes the document only where they differ. So focus, selection
// and typed text stay.

import { left, moment, since } from "./time.js";

// attributes: a function is a listener, false and null are left out. `key` identifies an element among its siblings;
// `part` (0 to 1) is a length for CSS.
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const name in attributes) {
    const value = attributes[name];
    if (name === "key") element.key = value;
    else if (name === "part") element.style.setProperty("--part", value);
    else if (typeof value === "function") listen(element, name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

// `morph` replaces the listener by that of the newer element.
function listen(element, name, listener) {
  element.on = { ...element.on, [name]: listener };
  element.addEventListener(name, (event) => element.on[name](event));
}

export function byId(id) {
  return document.getElementById(id);
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Make the children of parent equal to these nodes. Nodes that are there already stay.
export function morph(parent, ...nodes) {
  const focused = document.activeElement;
  children(parent, nodes.flat(Infinity).filter((node) => node));
  if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
}

function children(parent, nodes) {
  let keyed = null;
  let at = parent.firstChild;
  for (const given of nodes) {
    const node = given.kept ?? given;
    let old = node.parentNode === parent ? node : null;
    if (old === null && node.key !== undefined) {
      keyed ??= new Map([...parent.childNodes].map((child) => [child.key, child]));
      old = keyed.get(node.key) ?? null;
    } else if (old === null && at !== null && at.key === undefined && at.nodeName === node.nodeName) old = at;
    if (old === null) {
      parent.insertBefore(node, at);
      node.querySelectorAll?.("[data-kept]").forEach((place) => place.replaceWith(place.kept));
      continue;
    }
    if (old === at) at = at.nextSibling;
    else parent.insertBefore(old, at);
    if (old !== node) patch(old, node);
  }
  while (at !== null) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

// A place for an element that was made once and has state of its own. Putting it into a new element would take it out of the
// document for a moment, and its focus with it.
export function kept(element) {
  const place = el("span", { "data-kept": "" });
  place.kept = element;
  return place;
}

const LISTENING = "button, input, select, form";

function listenAs(old, wanted) {
  if (wanted.on !== undefined) old.on = wanted.on;
}

function patch(old, wanted) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.nodeValue !== wanted.nodeValue) old.nodeValue = wanted.nodeValue;
    return;
  }
  if (old.isEqualNode(wanted)) {
    listenAs(old, wanted);
    const newer = wanted.querySelectorAll(LISTENING);
    old.querySelectorAll(LISTENING).forEach((each, index) => listenAs(each, newer[index]));
    return;
  }
  for (const { name } of [...old.attributes]) {
    if (!wanted.hasAttribute(name) && name !== "open" && name !== "style") old.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    if (name !== "style" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (old.style.cssText !== wanted.style.cssText) old.style.cssText = wanted.style.cssText; // CSP forbids the attribute
  listenAs(old, wanted);
  if (old.hasAttribute("data-follow") && old !== document.activeElement && old.value !== wanted.value) old.value = wanted.value;
  children(old, [...wanted.childNodes]);
}

// Addresses and names.

export function address(page, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== false);
  const search = new URLSearchParams(given).toString();
  return `#/${page}${search ? `?${search}` : ""}`;
}

// bdi: the direction of a name does not change what is around it.
export function name(text, empty = "(empty)") {
  return el("bdi", { class: "name", title: text.length > 40 ? text : null }, text === "" ? empty : text);
}

export const groupLink = (group) => el("a", { href: address("group", { group }) }, name(group, "(empty id)"));
export const topicLink = (topic) => el("a", { href: address("topic", { topic }) }, name(topic));

// Numbers.

const grouped = new Intl.NumberFormat("en");
export const count = (value) => (value === null || value === undefined ? "–" : grouped.format(value));
export const counted = (value, word, words = `${word}s`) => `${count(value)} ${value === 1 ? word : words}`;

export function size(bytes) {
  if (bytes === null) return "–"; // of another cluster (tidemark watch)
  if (bytes < 1024) return counted(bytes, "byte");
  const unit = Math.min(Math.floor(Math.log2(bytes) / 10), 4);
  return `${(bytes / 1024 ** unit).toFixed(1)} ${["", "KiB", "MiB", "GiB", "TiB"][unit]}`;
}

// Partitions as ranges: 0–3, 7.
export function ranges(numbers) {
  const found = [];
  for (const number of [...numbers].sort((one, other) => one - other)) {
    if (found.length > 0 && found.at(-1)[1] === number - 1) found.at(-1)[1] = number;
    else found.push([number, number]);
  }
  return found.map(([first, last]) => (first === last ? first : `${first}–${last}`)).join(", ");
}

// Components.

export function badge(text, tone = "") {
  return el("span", { class: `badge ${tone}` }, text);
}

export function bar(value, max, tone = "") {
  return el("span", { class: `bar ${tone}`, part: max > 0 ? Math.max(value, 0) / max : 0, "aria-hidden": "true" });
}

// Lag with its bar. withoutOffset: partitions without a committed offset, which have no lag.
export function lag(value, max, tone, withoutOffset = 0) {
  const more = withoutOffset ? el("small", {}, ` +${withoutOffset} without offset`) : null;
  return el("span", { class: "lag" }, bar(value ?? 0, max, tone), el("span", { class: "digits" }, count(value), more));
}

// A time that counts down each second, or counts up. calm: it needs no attention.
export function due(ms, { calm = false } = {}) {
  if (ms === null || ms === undefined) return "–";
  const { text, tone } = left(ms);
  return el("span", { class: `digits ${calm ? "calm" : tone}`, "data-due": ms, title: `${moment(ms)} UTC` }, text);
}

export function ago(ms) {
  if (ms === null || ms === undefined) return "–";
  return el("time", { class: "digits", "data-since": ms, datetime: moment(ms), title: `${moment(ms)} UTC` }, since(ms));
}

export function tick() {
  for (const element of document.querySelectorAll("[data-due]")) {
    const { text, tone } = left(Number(element.dataset.due));
    setText(element, text);
    if (!element.classList.contains("calm")) element.className = `digits ${tone}`;
  }
  for (const element of document.querySelectorAll("[data-since]")) setText(element, since(Number(element.dataset.since)));
}

export function facts(...pairs) {
  return el("dl", { class: "facts" }, pairs.filter((pair) => pair).map(([term, ...value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))));
}

export function card(title, ...content) {
  return el("section", { class: "card", key: title, "aria-label": title }, title ? el("h2", {}, title) : null, content);
}

export function note(...content) {
  return el("p", { class: "note" }, content);
}

export function button(label, click, more = {}) {
  return el("button", { type: "button", click, ...more }, label);
}

// The button that opens a row of a table.
export function opener(text, isOpen, click, title = null) {
  return button(text, click, { class: "link digits", title, "aria-expanded": String(isOpen) });
}

export function field(label, input, more = {}) {
  return el("label", { class: "field", ...more }, el("span", {}, label), input);
}

// A row of fields that decide what the page shows. Their values are those of the address.
export function filters(...content) {
  return el("form", { key: "filters", class: "filters", role: "search", "aria-label": "Filter", submit: (event) => event.preventDefault() }, content);
}

// A field of `filters`, or of a form. more: attributes, and listeners.
export function input(label, more = {}) {
  return field(label, el("input", { autocomplete: "off", spellcheck: "false", ...more }));
}

export function search(label, value, more) {
  return input(label, { type: "search", value, "data-follow": "", ...more });
}

export function select(label, chosen, options, change) {
  const option = ([value, text]) => el("option", { value, selected: String(value) === chosen }, text);
  return field(label, el("select", { "data-follow": "", change: (event) => change(event.target.value) }, options.map(option)));
}

export function checkbox(label, checked, change) {
  return el("label", {}, el("input", { type: "checkbox", checked, change: (event) => change(event.target.checked) }), ` ${label}`);
}

export function copyButton(text, label = "Copy") {
  return button(label, async (event) => {
    const pressed = event.currentTarget;
    await copy(text, pressed);
    setText(pressed, "Copied");
    setTimeout(() => setText(pressed, label), 1_500);
  }, { class: "copy", "aria-label": `Copy ${text}` });
}

// Browsers have the clipboard on https and localhost only. Elsewhere the text is selected, and copied as a user would.
async function copy(text, near) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = el("textarea", { class: "visually-hidden" }, text);
  near.after(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  return near.focus();
}

// columns: {label, cell(row), kind}; kind: num, short (its label wraps), wide (a line of its own on a phone), or nothing.
// options: key(row), empty, detail(row): elements below an open row, or null; tone(row): a class of the row.
export function table(caption, columns, rows, { key, empty, detail = () => null, tone = () => null }) {
  if (rows.length === 0) return el("p", { class: "empty" }, empty);
  const line = (row) => {
    const below = detail(row);
    const cells = columns.map(({ label, cell, kind }) => el("td", { "data-label": label, class: kind }, cell(row)));
    return [
      el("tr", { key: key(row), class: `row ${tone(row) ?? ""} ${below ? "open" : ""}` }, cells),
      below && el("tr", { key: `below ${key(row)}`, class: "detail" }, el("td", { colspan: columns.length }, below)),
    ];
  };
  const heads = columns.map(({ label, kind }) => el("th", { scope: "col", class: kind }, label));
  return el("table", { "aria-label": caption }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows.map(line)));
}

// What a list leaves out, with a link to more.
export function cut(shown, total, what, link = null) {
  if (shown >= total && link === null) return null;
  return el("p", { class: "note" }, `${count(shown)} of ${count(total)} ${what}. `, link);
}
