// The broker's clock, and times as text. All times are in ms since the epoch, and shown in UTC.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const JUST_MS = 5_000;

let state = null;
let readAt = 0;

export function setClock(clock) {
  state = clock;
  readAt = performance.now();
}

export function now() {
  if (state === null) return Date.now();
  return state.frozen || state.held ? state.now_ms : state.now_ms + (performance.now() - readAt);
}

export function moment(ms) {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return `${ms} ms`; // beyond the dates of JavaScript
  return date.toISOString().slice(0, 19).replace("T", " ");
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

// How long it is until then, and whether that is soon, as `trouble` of /v1/groups/summary defines it.
export function left(dueMs) {
  const ms = dueMs - now();
  if (ms <= 0) return { text: "due now", tone: "bad" };
  return { text: duration(ms), tone: ms <= Math.min(DAY_MS, state.retention_ms / 7) ? "warn" : "" };
}

// An age in one unit and a half: "8d 3h".
export function span(ms) {
  if (ms >= DAY_MS) return `${Math.floor(ms / DAY_MS)}d ${Math.floor((ms % DAY_MS) / HOUR_MS)}h`;
  if (ms >= HOUR_MS) return `${Math.floor(ms / HOUR_MS)}h ${Math.floor((ms % HOUR_MS) / 60_000)}m`;
  return `${Math.floor(ms / 60_000)}m ${Math.floor((ms % 60_000) / 1000)}s`;
}

export function since(ms) {
  const age = now() - ms;
  if (Math.abs(age) < JUST_MS) return "just now";
  return age < 0 ? `in ${span(-age)}` : `${span(age)} ago`;
}
