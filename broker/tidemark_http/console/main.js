// The console: shows the page that the address names, and reads it again every two seconds while it is visible.

import { ApiError, get } from "./api.js";
import { app, failure, route, say } from "./app.js";
import { showClock, tickClock, toggleDrawer } from "./clock.js";
import { onSystemTheme, switchTheme, theme } from "./theme.js";
import { setClock } from "./time.js";
import { byId, el, morph, setText, tick } from "./ui.js";
import * as faults from "./pages/faults.js";
import * as group from "./pages/group.js";
import * as groups from "./pages/groups.js";
import * as overview from "./pages/overview.js";
import * as records from "./pages/records.js";
import * as requests from "./pages/requests.js";
import * as topic from "./pages/topic.js";
import * as topics from "./pages/topics.js";
import * as transactions from "./pages/transactions.js";

const POLL_MS = 2_000;

// A page has
//   title(params)
//   load(params)        returns its data
//   show(data, params)  returns its elements
//   section             the section that it belongs to, unless it is one
//   needsTestApi        without the test API it is hidden
const PAGES = { "": overview, groups, group, topics, topic, records, transactions, requests, faults };
const SECTIONS = ["", "groups", "topics", "records", "transactions", "requests", "faults"];

let shown = null; // the address that is shown
let reading = 0; // counts the readings, so that a late response does not replace a newer page
let respondedMs = Date.now();
let timer = null;

const isVisible = (name) => app.clock !== null && (app.clock.test_api || !PAGES[name].needsTestApi);

async function read() {
  const found = route();
  if (found === null) return;
  const page = PAGES[found.name] ?? null;
  const number = ++reading;
  let problem = null;
  try {
    const [clock, data] = await Promise.all([
      get("/clock"),
      page === null || (app.clock !== null && !isVisible(found.name)) ? null : page.load(found.params).catch((error) => error),
    ]);
    if (number !== reading) return;
    app.clock = clock;
    setClock(clock); // before the page, which counts down by it
    respondedMs = Date.now();
    if (data instanceof Error && !(data instanceof ApiError)) throw data;
    const began = performance.now();
    show(elements(page, found, data), found, page);
    performance.clearMeasures("show");
    performance.measure("show", { start: began });
  } catch (error) {
    problem = error;
    if (!(error instanceof ApiError || error instanceof TypeError || error.name === "TimeoutError")) console.error(error);
  }
  if (number === reading) showConnection(problem);
}

function elements(page, { name, params }, data) {
  if (page === null) return [el("h1", {}, "Not found"), el("p", {}, "There is no such page. ", el("a", { href: "#/" }, "Overview"))];
  if (!isVisible(name)) {
    const help = ["This needs the test API: start the broker with ", el("code", {}, "--test-api"), "."];
    return [el("h1", {}, page.title(params)), el("p", { id: "needs-test-api" }, help)];
  }
  if (!(data instanceof ApiError)) return page.show(data, params);
  return page.problem?.(data, params) ?? [el("h1", {}, page.title(params)), el("p", { class: "problem", role: "alert" }, data.message)];
}

function show(content, { name, params }, page) {
  const isNew = shown !== location.hash;
  const main = byId("main");
  if (isNew && shown !== null && shown.split("?")[0] !== location.hash.split("?")[0]) main.replaceChildren();
  morph(main, content);
  if (isNew) {
    shown = location.hash;
    document.title = page === null ? "tidemark" : `${page.title(params)} · tidemark`;
    showFrame(name);
  }
  showClock();
  tick();
}

function showFrame(name = route()?.name ?? "") {
  const section = PAGES[name]?.section ?? name;
  morph(byId("sections"), SECTIONS.filter(isVisible).map((each, index) => el("a", {
    key: each, href: `#/${each}`, "aria-current": each === section ? "page" : null, title: `${index + 1}`,
  }, PAGES[each].title({}))));
  byId("sections").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function showConnection(problem) {
  const line = byId("connection");
  line.hidden = problem === null;
  setText(line, problem === null ? "" : `${failure(problem)} Last response: ${Math.round((Date.now() - respondedMs) / 1000)} s ago.`);
  document.body.classList.toggle("stale", problem !== null);
}

async function poll() {
  clearTimeout(timer);
  timer = null;
  if (!document.hidden) await read();
  if (timer === null) timer = setTimeout(poll, POLL_MS);
}

app.refresh = poll;

// Themes and keys.

const showTheme = (name) => setText(byId("theme"), name === "dark" ? "Light" : "Dark");
const otherTheme = () => showTheme(switchTheme());

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  const isTyped = event.target.closest("input, select, textarea") !== null;
  if (event.key === "Escape") {
    if (isTyped) {
      event.preventDefault(); // it would clear a field for searches
      event.target.blur();
    } else say();
  } else if (!isTyped && press(event)) event.preventDefault();
});

function press(event) {
  if (event.key === "/") document.querySelector(".filters input")?.focus();
  else if (event.key === "d") otherTheme();
  else if (event.key === "t") toggleDrawer();
  else if (event.key === "p") document.querySelector("[aria-keyshortcuts=p]")?.click();
  else if (event.key === "?") byId("keys").showModal();
  else if (/^[1-7]$/.test(event.key)) byId("sections").children[Number(event.key) - 1]?.click();
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") return step(event.target.closest("tr.row"), event.key === "ArrowDown");
  else return false;
  return true;
}

// From a row to the row above or below.
function step(row, down) {
  const rows = row === null ? [] : [...row.closest("table").querySelectorAll("tr.row")];
  const next = rows[rows.indexOf(row) + (down ? 1 : -1)];
  next?.querySelector("a, button")?.focus();
  return next !== undefined;
}

byId("skip").addEventListener("click", () => byId("main").focus());
byId("theme").addEventListener("click", otherTheme);
byId("help").addEventListener("click", () => byId("keys").showModal());
onSystemTheme(() => showTheme(theme()));
showTheme(theme());
window.addEventListener("hashchange", () => {
  scrollTo(0, 0);
  poll();
});
document.addEventListener("visibilitychange", () => { if (!document.hidden) poll(); });
setInterval(() => {
  tickClock();
  tick();
}, 1_000);
poll();
get("/broker").then((broker) => setText(byId("version"), broker.version), () => {});
