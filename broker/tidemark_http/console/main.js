// The console: it requests /v1 every two seconds and updates the page in place.

import { ApiError, get, post, remove } from "./api.js";
import { Chart, histogram } from "./charts.js";
import { Table, byId, countDownWith, el, setText, showFacts, tick } from "./dom.js";
import { onSystemTheme, switchTheme, theme } from "./theme.js";
import { age, duration, left, moment, now, setClock, signed } from "./time.js";

const POLL_MS = 2_000;
const RARE = 3; // topics, transactions, faults and requests are read at every third poll
const PAGE = 1_000;
const ROWS = 200;
const REQUESTS = 50;
const LAG_POINTS = 900;

const TONES = {
  Stable: "good", Empty: "warn", Dead: "bad", Ongoing: "busy", Hanging: "bad", PrepareCommit: "busy",
  PrepareAbort: "busy", PreparingRebalance: "busy", CompletingRebalance: "busy", Assigning: "busy", Reconciling: "busy",
};
const tone = (row) => TONES[row.state] || "";
// As in Kafka's tool, a partition without a committed offset has no lag. The group's line counts them.
const lagText = (row) => [row.lag ?? "-", ...(row.without_offset ? [`(${row.without_offset} without offset)`] : [])].join(" ");
const groupHref = (name) => `#group=${encodeURIComponent(name)}`;

countDownWith(left);

// Tables.

const groups = new Table(byId("groups-table"), [
  { label: "Group", text: (row) => row.group || "(empty id)", sort: (row) => row.group, href: (row) => groupHref(row.group), wide: true },
  { label: "State", text: (row) => row.state, sort: (row) => row.state, kind: "badge", tone },
  { label: "Members", text: (row) => row.members, sort: (row) => row.members, kind: "number" },
  { label: "Topics", text: (row) => row.topics, sort: (row) => row.topics, kind: "number" },
  { label: "Lag", text: lagText, sort: (row) => row.lag, kind: "number" },
  { label: "Next expiry", text: (row) => row.next_expiry_ms, sort: (row) => row.next_expiry_ms, kind: "due", wide: true },
], {
  key: (row) => row.group, current: (row) => row.group === opened, caption: "Consumer groups",
  empty: "No group. One appears when a consumer joins it or commits an offset.",
});

const offsets = new Table(byId("offsets-table"), [
  { label: "Topic", text: (row) => row.topic, sort: (row) => row.topic, kind: "name" },
  { label: "Partition", text: (row) => row.partition, sort: (row) => row.partition, kind: "number" },
  { label: "Offset", text: (row) => row.offset, kind: "number" },
  { label: "Log end", text: (row) => row.log_end_offset, kind: "number" },
  { label: "Lag", text: (row) => row.lag, sort: (row) => row.lag, kind: "number" },
  { label: "Committed (UTC)", text: (row) => moment(row.committed_ms), sort: (row) => row.committed_ms, wide: true },
  { label: "Metadata", text: (row) => row.metadata, kind: "name" },
  { label: "Expires in", text: (row) => row.due_ms, sort: (row) => row.due_ms, kind: "due", wide: true },
], {
  key: (row) => `${row.topic} ${row.partition}`, sentence: (row) => row.explanation,
  caption: "Committed offsets of the group", empty: "No committed offset.",
});

const members = new Table(byId("members-table"), [
  { label: "Member", text: (row) => row.member_id, kind: "name", wide: true },
  { label: "Instance", text: (row) => row.instance_id, kind: "name" },
  { label: "Client", text: (row) => row.client_id, kind: "name" },
  { label: "Host", text: (row) => row.client_host, kind: "name" },
  { label: "Subscription", text: (row) => (row.subscription === null ? null : row.subscription.join(", ")), kind: "name" },
  { label: "Assigned", text: (row) => partitionsText(row.assigned), kind: "name" },
  { label: "State", text: (row) => row.state },
], { key: (row) => row.member_id, caption: "Members of the group", empty: "No member." });

const rebalances = new Table(byId("rebalances-table"), [
  { label: "Time (UTC)", text: (row) => moment(row.at_ms) },
  { label: "Group", text: (row) => row.group || "(empty id)", href: (row) => groupHref(row.group), wide: true },
  { label: "Type", text: (row) => row.type },
  { label: "Generation", text: (row) => row.epoch, kind: "number" },
  { label: "Members", text: (row) => row.members, kind: "number" },
  { label: "Reason", text: (row) => row.reason },
], { key: (row) => row.number, caption: "Rebalances, newest first", empty: "No rebalance since the start." });

const topics = new Table(byId("topics-table"), [
  { label: "Topic", text: (row) => row.topic, sort: (row) => row.topic, open: (row) => openTopic(row.topic), wide: true },
  { label: "Partitions", text: (row) => row.partitions, sort: (row) => row.partitions, kind: "number" },
  { label: "Records", text: (row) => row.records, sort: (row) => row.records, kind: "number" },
  { label: "Oldest partition", text: (row) => age(row.oldest_partition_ms), sort: (row) => row.oldest_partition_ms, kind: "number" },
  { label: "Newest partition", text: (row) => age(row.newest_partition_ms), sort: (row) => row.newest_partition_ms, kind: "number" },
], { key: (row) => row.topic, current: (row) => row.topic === openedTopic, caption: "Topics", empty: "No topic." });

const partitions = new Table(byId("partitions-table"), [
  { label: "Partition", text: (row) => row.partition, kind: "number" },
  { label: "Created (UTC)", text: (row) => moment(row.created_ms), wide: true },
  { label: "Age", text: (row) => age(row.created_ms), kind: "number" },
  { label: "Log start", text: (row) => row.log_start_offset, kind: "number" },
  { label: "Log end", text: (row) => row.log_end_offset, kind: "number" },
], { key: (row) => row.partition, caption: "Partitions of the topic", empty: "No partition." });

const transactions = new Table(byId("transactions-table"), [
  { label: "Transactional id", text: (row) => row.transactional_id ?? "(not known)", kind: "name", wide: true },
  { label: "State", text: (row) => row.state, kind: "badge", tone },
  { label: "Producer", text: (row) => `${row.producer_id} / ${row.producer_epoch}`, kind: "number" },
  { label: "Open since (UTC)", text: (row) => moment(row.started_ms), wide: true },
  { label: "Partitions", text: (row) => row.partitions.length, kind: "number" },
  { label: "Times out in", text: (row) => row.aborted_ms, kind: "due", wide: true },
], {
  key: (row) => `${row.transactional_id} ${row.producer_id} ${row.partitions.map((each) => `${each.topic}-${each.partition}`)}`,
  sentence: (row) => row.explanation, caption: "Transactions", empty: "No transactional id.",
});

function partitionsText(assigned) {
  if (assigned === null) return null;
  return Object.entries(assigned).map(([topic, numbers]) => `${topic}: ${numbers.join(", ")}`).join("; ");
}

function holdsBack(fault) {
  return Boolean(fault.block || fault.coordinator_away);
}

const faults = new Table(byId("faults-table"), [
  { label: "Fault", text: (row) => row.id, kind: "number" },
  { label: "Definition", text: (row) => JSON.stringify(row.fault), kind: "name", wide: true },
  { label: "Matched", text: (row) => row.matched, kind: "number" },
  { label: "Seen", text: (row) => row.seen, kind: "number" },
  { label: "Waiting", text: (row) => row.waiting, kind: "number" },
  { label: "State", text: (row) => (row.active ? "active" : "ended"), kind: "badge", tone: (row) => (row.active ? "busy" : "") },
  { label: "Change", actions: [
    { label: "Release", shown: (row) => row.waiting > 0 || (row.active && holdsBack(row.fault)), run: (row) => changeFault(post, `/faults/${row.id}/release`) },
    { label: "Remove", run: (row) => changeFault(remove, `/faults/${row.id}`) },
  ] },
], { key: (row) => row.id, caption: "Faults", empty: "No fault is set." });

const requests = new Table(byId("requests-table"), [
  { label: "Time (UTC)", text: (row) => moment(row.at_ms), wide: true },
  { label: "API", text: (row) => `${row.api} v${row.version}` },
  { label: "Client", text: (row) => row.client_id, kind: "name" },
  { label: "Groups", text: (row) => row.groups.join(", "), kind: "name" },
  { label: "Topics", text: (row) => [...new Set(row.topics.map((each) => each.topic))].join(", "), kind: "name" },
  { label: "Outcome", text: (row) => row.outcome },
  { label: "Errors", text: (row) => row.errors.join(", "), kind: "name" },
  { label: "Duration (ms)", text: (row) => row.duration_ms, kind: "number" },
], { key: (row) => row.number, caption: "Recent requests, newest first", empty: "No request." });

const rebalancesChart = new Chart(byId("rebalances-chart"), "Rebalances over time", { bars: true });
const lagChart = new Chart(byId("lag-chart"), "Lag over time");

// State of the page.

let opened = null;
let openedTopic = null;
let lagSeries = [[], []];
let clock = null;
let polls = 0;
const missing = new Set(); // sections whose endpoint this broker does not have

// Sections.

const SECTIONS = ["clock", "groups", "group", "rebalances", "topics", "transactions", "faults", "requests"];

function showSections() {
  const visible = SECTIONS.filter((id) => id !== "group" && !byId(id).hidden);
  const names = visible.join();
  if (byId("sections").dataset.names === names) return;
  byId("sections").dataset.names = names;
  byId("sections").replaceChildren(
    ...visible.map((id) => el("a", { href: `#${id}` }, byId(`${id}-title`).firstChild.textContent.trim())),
  );
}

// Call show with the response. Hide the section if the endpoint does not exist.
async function section(id, path, query, show) {
  if (missing.has(id)) return;
  try {
    const body = await get(path, query);
    byId(id).hidden = false;
    show(body);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    missing.add(id);
    byId(id).hidden = true;
  }
}

function showClock(body) {
  clock = body;
  setClock(body);
  byId("controls").hidden = !body.test_api;
  byId("read-only").hidden = body.test_api;
  byId("to-expiry").hidden = !body.test_api;
  byId("freeze").disabled = body.frozen;
  byId("resume").disabled = !body.frozen && !body.held;
  showTime();
}

function showTime() {
  const at = now();
  if (at === null) return;
  setText(byId("now"), `${moment(at)} UTC`);
  byId("now").setAttribute("datetime", new Date(at).toISOString());
  const flags = [];
  if (clock.frozen) flags.push("frozen");
  if (clock.held) flags.push("held");
  flags.push(clock.moved_ms === 0 ? "the host's time" : `moved by ${signed(clock.moved_ms)}`);
  setText(byId("flags"), flags.join(", "));
}

let broker = null;

function showFactsOfBroker() {
  if (broker === null || clock === null) return;
  setText(byId("identity"), `${broker.version}, node ${broker.node_id}`);
  const pass = clock.next_cleanup_ms === null ? null : left(clock.next_cleanup_ms);
  showFacts(byId("facts"), [
    ["Next cleanup pass", pass === null ? "–" : pass.text === "due" ? "due" : `in ${pass.text}`],
    ["Retention of offsets", `${duration(clock.retention_ms)}${clock.assumed_retention ? " (assumed)" : ""}`],
    ["Groups, offsets", `${broker.groups}, ${broker.offsets}`],
    ["Topics", broker.topics],
    ["Cluster", broker.cluster_id],
  ]);
}

function showGroups(body) {
  groups.show(body.groups);
  const states = new Map();
  for (const each of body.groups) states.set(each.state, (states.get(each.state) || 0) + 1);
  setText(byId("states"), [...states].map(([state, count]) => `${count} ${state}`).join(", "));
  setText(byId("groups-count"), body.groups.length === body.total ? String(body.total) : `${body.groups.length} of ${body.total}`);
  const line = body.groups.find((each) => each.group === opened);
  if (line && line.lag !== null) addLag(line.lag);
}

// By the reader's clock: the broker's may jump.
function addLag(lag) {
  if (lagSeries[0].length === 0) lagSeries = [[Date.now() / 1000 - POLL_MS / 1000], [null]]; // uPlot needs two points
  lagSeries[0].push(Date.now() / 1000);
  lagSeries[1].push(lag);
  if (lagSeries[0].length > LAG_POINTS) lagSeries = lagSeries.map((values) => values.slice(1));
  lagChart.show(lagSeries, `now ${lag}`);
}

async function showGroup() {
  const name = opened;
  if (name === null) return;
  try {
    const [found, committed] = await Promise.all([
      get("/groups", { group: name }),
      get("/offsets", { group: name, limit: PAGE }),
    ]);
    if (name !== opened) return;
    const group = found.groups[0];
    setText(byId("group-why"), group.explanation);
    setText(byId("group-waits"), group.waits_for ?? "");
    showFacts(byId("group-facts"), [
      ["State", `${group.state} since ${moment(group.state_since_ms)} UTC`],
      ["Type", group.type],
      ["Protocol", group.protocol ?? "–"],
      ["Generation", group.generation],
      ["Offsets", committed.cursor === null ? group.offsets : `${group.offsets}, of which the first ${PAGE} are shown`],
      ["Group expires", group.due_ms === null ? "–" : `${moment(group.due_ms)} UTC`],
    ]);
    members.show(group.members);
    offsets.show(committed.offsets);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    if (name !== opened) return;
    setText(byId("group-why"), error.message);
    setText(byId("group-waits"), "");
    showFacts(byId("group-facts"), []);
    members.show([]);
    offsets.show([]);
  }
}

function showRebalances(body) {
  rebalances.show(body.rebalances.slice(0, ROWS));
  setText(byId("rebalances-count"), body.cursor === null ? String(body.rebalances.length) : `the last ${body.rebalances.length}`);
  const times = body.rebalances.map((each) => each.at_ms);
  const nowMs = now();
  if (nowMs !== null) rebalancesChart.show(histogram(times, nowMs), `${times.length} rebalances`);
}

// Without the test API there are no faults.
function showFaults(body) {
  byId("fault").hidden = !clock.test_api;
  byId("faults-table").hidden = !clock.test_api;
  byId("no-faults").hidden = clock.test_api;
  faults.show(body.faults);
  setText(byId("faults-count"), clock.test_api ? String(body.faults.length) : "");
}

// The oldest come first: the number of all requests says where the newest are.
async function readRequests() {
  let count = 0;
  await section("requests", "/requests", { limit: 1 }, (body) => { count = body.count; });
  await section("requests", "/requests", { after: Math.max(count - REQUESTS, 0), limit: REQUESTS }, showRequests);
}

function showRequests(body) {
  byId("requests").hidden = body.recording === false;
  requests.show([...body.requests].reverse());
  setText(byId("requests-count"), `the last ${body.requests.length} of ${body.count}`);
}

async function showPartitions() {
  byId("partitions").hidden = openedTopic === null;
  if (openedTopic === null) return;
  const name = openedTopic;
  try {
    const body = await get("/partitions", { topic: name, limit: PAGE });
    if (name !== openedTopic) return;
    setText(byId("partitions-title"), `Partitions of ${name}`);
    partitions.show(body.partitions);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    openTopic(null);
  }
}

function openTopic(name) {
  openedTopic = name === openedTopic ? null : name;
  topics.show(topics.rows);
  showPartitions().catch(showConnection);
}

// Polling.

async function poll() {
  const rare = polls % RARE === 0;
  polls += 1;
  try {
    const [time, itself, lines] = await Promise.all([
      get("/clock"),
      get("/broker"),
      get("/groups/summary", { limit: PAGE, search: byId("search").value || null }),
    ]);
    broker = itself;
    showClock(time); // first: the others count down by it
    showGroups(lines);
    await showGroup();
    showFactsOfBroker();
    await section("rebalances", "/rebalances", { limit: PAGE }, showRebalances);
    if (rare) {
      await section("topics", "/topics", { limit: PAGE }, (body) => {
        topics.show(body.topics);
        setText(byId("topics-count"), body.cursor === null ? String(body.total) : `${body.topics.length} of ${body.total}`);
      });
      await showPartitions();
      await section("transactions", "/transactions", { limit: ROWS }, (body) => {
        transactions.show(body.transactions);
        setText(byId("transactions-count"), body.cursor === null ? String(body.transactions.length) : `the first ${ROWS}`);
      });
      await section("faults", "/faults", {}, showFaults);
      await readRequests();
    }
    showSections();
    showConnection(null);
  } catch (error) {
    showConnection(error);
  }
}

function showConnection(error) {
  setText(byId("connection"), error === null ? "" : error instanceof ApiError ? error.message : "No connection to the broker");
}

let timer = null;

async function pollAgain() {
  clearTimeout(timer);
  timer = null;
  if (!document.hidden) await poll();
  if (timer === null) timer = setTimeout(pollAgain, POLL_MS);
}

async function refresh() {
  polls = 0;
  await pollAgain();
}

// Changes, with the test API.

function options() {
  return { cleanup: byId("cleanup").checked, sessions: byId("sessions").checked, logs: byId("logs").checked };
}

async function change(path, body) {
  const buttons = byId("controls").querySelectorAll("button");
  buttons.forEach((button) => button.setAttribute("aria-disabled", "true"));
  try {
    showOutcome(await post(path, body));
  } catch (error) {
    showProblem(error);
  } finally {
    buttons.forEach((button) => button.removeAttribute("aria-disabled"));
  }
  await refresh();
}

// If the broker refuses, its sentence is shown beside the form, and the wrong field is marked.
async function changeFault(send, path, body) {
  const form = byId("fault");
  form.querySelectorAll("[aria-invalid]").forEach((field) => field.removeAttribute("aria-invalid"));
  try {
    const shown = await send(path, body);
    if (body !== undefined) {
      form.reset();
      showFieldsOfAction();
    }
    const released = shown.released === undefined ? "" : `Requests that fault ${shown.id} let go: ${shown.released}.`;
    byId("fault-outcome").replaceChildren(released ? el("div", { class: "result" }, released) : "");
  } catch (error) {
    showProblem(error, "fault-outcome");
    const field = error.field ? form.elements.namedItem(error.field) : null;
    if (field !== null) {
      field.setAttribute("aria-invalid", "true");
      field.focus();
    }
  }
  await refresh();
}

// The fields that the form shows and that are not empty, as POST /v1/faults reads them. The broker checks them.
function faultFields() {
  const fields = {};
  for (const field of byId("fault").elements) {
    const label = field.closest("label");
    if (!field.name || field.value === "" || (label !== null && label.hidden)) continue;
    if (field.name !== "action") fields[field.name] = field.inputMode === "numeric" && /^\d{1,15}$/.test(field.value) ? Number(field.value) : field.value;
    else if (byId("fault").elements.namedItem(field.value) === null) fields[field.value] = true;
  }
  return fields;
}

// Some actions have a field with their value, which has the name of the action.
function showFieldsOfAction() {
  const action = byId("fault").elements.namedItem("action");
  byId("fault").querySelectorAll("label[data-for]").forEach((label) => {
    label.hidden = !label.dataset.for.split(" ").includes(action.value);
  });
}

function showOutcome(body) {
  if (!body.offsets) {
    byId("outcome").replaceChildren();
    return;
  }
  const parts = [`${body.offsets.length} offsets removed`, `${body.groups.length} groups deleted`, `${body.sessions.length} sessions ended`];
  const moved = body.moved_ms === 0 ? "Time did not move" : `Time moved by ${signed(body.moved_ms)}`;
  const sentences = body.offsets.slice(0, ROWS).map((each) => el("li", {}, each.explanation));
  byId("outcome").replaceChildren(
    el("div", { class: "result" }, `${moved}: ${parts.join(", ")}.`, sentences.length > 0 ? el("ul", {}, ...sentences) : ""),
  );
}

function showProblem(error, place = "outcome") {
  const message = error instanceof ApiError ? error.message : "No connection to the broker";
  const help = error.documentation ? el("a", { href: error.documentation }, "Documentation") : "";
  byId(place).replaceChildren(el("p", { class: "problem", role: "alert" }, `${message} `, help));
}

byId("controls").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button === null || button.getAttribute("aria-disabled") === "true") return;
  if (button.dataset.advance) change("/clock/advance", { ...JSON.parse(button.dataset.advance), ...options() });
  else if (button.dataset.post) change(button.dataset.post, {});
});
byId("controls").addEventListener("submit", (event) => {
  event.preventDefault();
  change("/clock/advance", { [byId("unit").value]: Number(byId("amount").value), ...options() });
});
byId("to-expiry").addEventListener("click", () => {
  change("/clock/advance", { to: "next_expiry", group: opened, ...options() });
});

byId("fault").addEventListener("input", showFieldsOfAction);
byId("fault").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = byId("fault").querySelector("[type=submit]");
  if (button.getAttribute("aria-disabled") === "true") return; // a second click sets no second fault
  button.setAttribute("aria-disabled", "true");
  await changeFault(post, "/faults", faultFields());
  button.removeAttribute("aria-disabled");
});

// The opened group is part of the address, so that it can be linked to.

function follow() {
  const found = location.hash.startsWith("#group=") ? location.hash.slice("#group=".length) : null;
  let name = null;
  try {
    name = found === null ? null : decodeURIComponent(found);
  } catch {
    name = null;
  }
  if (found === null && location.hash !== "" && opened !== null) return; // a link to a section
  if (name === opened) return;
  opened = name;
  lagSeries = [[], []];
  byId("group").hidden = name === null;
  groups.show(groups.rows);
  if (name === null) return;
  setText(byId("group-title"), name === "" ? "Group (empty id)" : `Group ${name}`);
  setText(byId("group-why"), "");
  offsets.show([]);
  members.show([]);
  showGroup().then(() => byId("group").scrollIntoView({ block: "nearest" }), showConnection);
}

function close() {
  if (opened === null) return;
  const name = opened;
  history.pushState(null, "", location.pathname);
  follow();
  const link = [...document.querySelectorAll("#groups-table td a")].find((each) => each.getAttribute("href") === groupHref(name));
  (link || byId("groups")).focus();
}

window.addEventListener("hashchange", follow);
window.addEventListener("popstate", follow);
byId("close").addEventListener("click", close);

let typing = null;
byId("search").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(refresh, 150);
});

// Light and dark.

function showTheme(name) {
  setText(byId("theme"), name === "dark" ? "Light" : "Dark");
}

function otherTheme() {
  showTheme(switchTheme());
  redraw();
}

function redraw() {
  rebalancesChart.show(histogram(rebalances.rows.map((each) => each.at_ms), now() ?? Date.now()), `${rebalances.rows.length} rebalances`);
  if (opened !== null && lagSeries[0].length > 0) lagChart.show(lagSeries, `now ${lagSeries[1].at(-1)}`);
}

onSystemTheme(() => { showTheme(theme()); redraw(); });
byId("theme").addEventListener("click", otherTheme);
byId("help").addEventListener("click", () => byId("keys").showModal());
let resizing = null;
window.addEventListener("resize", () => {
  clearTimeout(resizing);
  resizing = setTimeout(redraw, 100);
});

// Keys.

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  const typed = event.target.closest("input, select, textarea") !== null;
  if (event.key === "Escape") {
    if (typed) event.target.blur();
    else close();
  } else if (!typed) press(event);
});

function press(event) {
  const link = event.target.closest("#groups-table td a");
  if (event.key === "/") byId("search").focus();
  else if (event.key === "d") otherTheme();
  else if (event.key === "?") byId("keys").showModal();
  else if (/^[1-8]$/.test(event.key)) goTo(Number(event.key) - 1);
  else if (link !== null && (event.key === "ArrowDown" || event.key === "ArrowUp")) step(link, event.key === "ArrowDown" ? 1 : -1);
  else return;
  event.preventDefault();
}

function goTo(index) {
  const id = SECTIONS.filter((each) => !byId(each).hidden)[index];
  if (id === undefined) return;
  byId(id).scrollIntoView({ block: "start" });
  byId(id).focus({ preventScroll: true });
}

function step(link, by) {
  const links = [...document.querySelectorAll("#groups-table td a")];
  const next = links[links.indexOf(link) + by];
  if (next) next.focus();
}

// Sections of endpoints that this broker does not have stay hidden.
async function readIndex() {
  try {
    const { endpoints } = await get("");
    if (!Array.isArray(endpoints)) return;
    for (const id of ["rebalances", "topics", "transactions", "faults", "requests"]) {
      if (!endpoints.includes(`GET /v1/${id}`)) missing.add(id);
    }
  } catch (error) {
    showConnection(error);
  }
}

// Start.

showTheme(theme());
showFieldsOfAction();
follow();
setInterval(() => {
  showTime();
  showFactsOfBroker();
  tick();
}, 1_000);
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
readIndex().then(refresh);
