// The broker's clock, and times as text. All times are in ms since the epoch, and shown in UTC.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let state = null;
let readAt = 0;

export function setClock(clock) {
  state = clock;
  readAt = performance.now();
}

export function now() {
  if (state === null) return null;
  return state.frozen || state.held ? state.now_ms : state.now_ms + (performance.now() - readAt);
}

export function moment(ms) {
  if (ms === null || ms === undefined) return "–";
  const text = new Date(ms).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 19)}`;
}

// 6d 23:59:58
export function duration(ms) {
  const seconds = Math.floor(Math.abs(ms) / 1000);
  const days = Math.floor(seconds / 86_400);
  const two = (number) => String(number).padStart(2, "0");
  const clock = `${two(Math.floor(seconds / 3_600) % 24)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return days > 0 ? `${days}d ${clock}` : clock;
}

export function signed(ms) {
  return `${ms < 0 ? "−" : "+"}${duration(ms)}`;
}

export function left(dueMs) {
  const at = now();
  if (at === null) return null;
  if (dueMs <= at) return { text: "due", tone: "over" };
  return { text: duration(dueMs - at), tone: dueMs - at < HOUR_MS ? "soon" : "" };
}

// An age in one unit and a half: "8d 3h".
export function age(sinceMs) {
  const at = now();
  if (sinceMs === null || sinceMs === undefined || at === null) return null;
  const ms = Math.max(at - sinceMs, 0);
  if (ms >= DAY_MS) return `${Math.floor(ms / DAY_MS)}d ${Math.floor((ms % DAY_MS) / HOUR_MS)}h`;
  if (ms >= HOUR_MS) return `${Math.floor(ms / HOUR_MS)}h ${Math.floor((ms % HOUR_MS) / 60_000)}m`;
  return `${Math.floor(ms / 60_000)}m ${Math.floor((ms % 60_000) / 1000)}s`;
}
