import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A tidemark broker in a process of its own, and its HTTP API. It ends with this process, even if that is killed. */
export class Tidemark {
  /**
   * Starts a broker on free ports. settings: Kafka's, by name. It accepts connections when the promise resolves. The
   * promise is rejected if that takes longer than timeoutMs.
   */
  static async start(settings = {}, { timeoutMs = 30_000 } = {}) {
    const folder = await mkdtemp(join(tmpdir(), "tidemark-"));
    const options = { "tidemark.sync": "never", "group.initial.rebalance.delay.ms": 0, ...settings };
    const child = spawn("tidemark", [
      "serve", "--port=0", "--http-port=0", `--data-dir=${join(folder, "data")}`, "--test-api", "--stop-with-parent",
      ...Object.entries(options).map(([name, value]) => `--set=${name}=${value}`),
    ]);
    let errors = "";
    child.stderr.on("data", (chunk) => (errors += chunk));
    const ended = new Promise((resolve, reject) => {
      child.once("error", reject); // there is no command `tidemark`
      child.once("close", resolve);
    });
    const ready = once(createInterface(child.stdout), "line", { signal: AbortSignal.timeout(timeoutMs) });
    try {
      const [line] = await Promise.race([ready, ended.then((code) => {
        throw new Error(`tidemark ended with exit code ${code}: ${errors}`);
      })]);
      return new Tidemark(child, ended, folder, JSON.parse(line));
    } catch (error) {
      child.kill("SIGKILL");
      await ended.catch(() => {});
      await rm(folder, { recursive: true });
      throw error.name === "AbortError" ? new Error(`tidemark is not ready after ${timeoutMs} ms: ${errors}`) : error;
    }
  }

  constructor(child, ended, folder, ready) {
    Object.assign(this, { child, ended, folder, http: ready.http, bootstrapServers: ready.bootstrap_servers });
    ended.catch(() => {});
  }

  /** Stops the broker, and deletes its data. */
  async stop() {
    this.child.kill();
    await this.ended;
    await rm(this.folder, { recursive: true });
  }

  /** Creates topics with records, and commits offsets: {topics: {orders: {records: ["a"]}}, groups: {g: {orders: 1}}}. */
  seed = (content) => this.call("POST", "/seed", content);

  /** Moves time, such as {days: 8}, and runs the expiration of offsets. Returns what expired. */
  advance = (span) => this.call("POST", "/clock/advance", span);

  /** Sets a fault, such as {api: "OffsetCommit", error: "NOT_COORDINATOR", times: 2}. */
  fault = (fields) => this.call("POST", "/faults", fields);

  /** Returns the committed offsets of a group, each with when and why it expires. */
  offsets = async (group) => (await this.call("GET", `/offsets?${new URLSearchParams({ group })}`)).offsets;

  /** Returns the offsets of a group that were removed, each with the reason. */
  removals = async (group) => (await this.call("GET", `/expiry/log?${new URLSearchParams({ group })}`)).removals;

  /** Returns the recorded requests that pass the filters, such as {api: "OffsetCommit", group: "billing"}. */
  requests = async (filters) =>
    (await this.call("GET", `/requests?${new URLSearchParams({ limit: 1000, ...filters })}`)).requests;

  /** Returns a function that restores the present state, and the present time. Clients are disconnected. */
  async snapshot() {
    const { id } = await this.call("POST", "/snapshots");
    return () => this.call("POST", `/snapshots/${id}/restore`);
  }

  /** Calls /v1. An error of the broker becomes an exception with its message. */
  async call(method, path, body) {
    const response = await fetch(`http://${this.http}/v1${path}`, { method, body: body && JSON.stringify(body) });
    const content = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${content.error.message}`);
    return content;
  }
}
