// The part of a group's page that only a share group has: its partitions, and its records in flight.

import { get, post } from "../api.js";
import { act, app } from "../app.js";
import { badge, button, card, count, counted, due, el, name, note, table, topicLink } from "../ui.js";

const PARTITIONS = 50;
const RECORDS = 100;
const TONES = { archived: "warn" };

export async function load(group) {
  const [partitions, records] = await Promise.all([
    get("/share-groups/partitions", { group, limit: PARTITIONS }),
    get("/share-groups/records", { group, limit: RECORDS }),
  ]);
  return { group, partitions, records };
}

export function show({ group, partitions, records }) {
  const held = partitions.partitions.some((each) => each.records !== null && each.records.acquired > 0);
  return [
    card("Share partitions", table("Share partitions", [
      { label: "Partition", kind: "wide", cell: (row) => [topicLink(row.topic), ` ${row.partition}`] },
      { label: "Start", kind: "num", cell: (row) => count(row.start_offset) },
      { label: "End", kind: "num", cell: (row) => count(row.end_offset) },
      { label: "Available", kind: "num", cell: (row) => count(row.records?.available) },
      { label: "Acquired", kind: "num", cell: (row) => count(row.records?.acquired) },
      { label: "Archived", kind: "num", cell: (row) => count(row.records?.archived) },
      { label: "Not delivered", kind: "num", cell: (row) => count(row.undelivered) },
      { label: "Next lock ends in", kind: "num", cell: (row) => due(row.next_lock_end_ms, { calm: true }) },
    ], partitions.partitions, { key: (row) => `${row.partition} ${row.topic}`, empty: "No partition: no member has read a topic." }),
    partitions.cursor !== null && note(`Only the first ${PARTITIONS} are shown.`)),
    card("Records", app.clock.test_api && held && button("End the locks", () => act(
      () => post("/share-groups/expire_locks", { group }),
      ({ partitions: ended }) => el("p", {}, `${counted(ended.reduce((sum, each) => sum + each.records, 0), "lock")} ended.`))),
    table("Records in flight, and the last ones that are done", [
      { label: "Partition", cell: (row) => [topicLink(row.topic), ` ${row.partition}`] },
      { label: "Offsets", kind: "num", cell: (row) => (row.first_offset === row.last_offset ? count(row.first_offset) : `${count(row.first_offset)}–${count(row.last_offset)}`) },
      { label: "State", cell: (row) => badge(row.state, TONES[row.state]) },
      { label: "Held by", cell: (row) => (row.member_id === null ? "–" : name(row.client_id ?? row.member_id)) },
      { label: "Deliveries", kind: "num", cell: (row) => count(row.delivery_count) },
      { label: "Lock ends in", kind: "num", cell: (row) => due(row.lock_end_ms, { calm: true }) },
      { label: "Why", kind: "wide", cell: (row) => el("bdi", { class: "text" }, row.explanation) },
    ], records.records, { key: (row) => `${row.first_offset} ${row.partition} ${row.topic}`, empty: "No record is in flight." }),
    records.cursor !== null && note(`Only the first ${RECORDS} are shown.`)),
  ];
}
