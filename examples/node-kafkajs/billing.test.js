import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { Kafka, logLevel } from "kafkajs";
import { nextOrder } from "./billing.js";
import { Tidemark } from "./tidemark.js";

let tidemark, kafka, restore;

before(async () => {
  tidemark = await Tidemark.start();
  kafka = new Kafka({ brokers: [tidemark.bootstrapServers], logLevel: logLevel.NOTHING });
  restore = await tidemark.snapshot();
});
beforeEach(() => tidemark.seed({ topics: { orders: { records: ["one", "two"] } } }));
afterEach(() => restore());
after(() => tidemark?.stop());

test("a group continues after six days", async () => {
  assert.equal(await nextOrder(kafka), "one");
  await tidemark.advance({ days: 6 });
  const [offset] = await tidemark.offsets("billing");
  assert.match(offset.explanation, /^Group billing has been Empty since /);
  assert.equal(await nextOrder(kafka), "two");
});

test("a group starts over after eight days", async () => {
  assert.equal(await nextOrder(kafka), "one");
  await tidemark.advance({ days: 8 });
  const [removal] = await tidemark.removals("billing");
  assert.equal(removal.cause, "expired");
  assert.match(removal.explanation, /^Offset 1 of orders-0 of group billing was removed at /);
  assert.equal(await nextOrder(kafka), "one");
});

test("a commit that fails is sent again", async () => {
  await tidemark.fault({ api: "OffsetCommit", error: "COORDINATOR_LOAD_IN_PROGRESS", times: 1 });
  assert.equal(await nextOrder(kafka), "one");
  const commits = await tidemark.requests({ api: "OffsetCommit", group: "billing" });
  assert.deepEqual(commits.map((each) => each.errors), [["COORDINATOR_LOAD_IN_PROGRESS"], []]);
});

test("a wrong setting stops the start, with the reason", async () => {
  await assert.rejects(Tidemark.start({ "offsets.retention.minutes": 0 }), /exit code 1: .*offsets\.retention\.minutes/);
});
