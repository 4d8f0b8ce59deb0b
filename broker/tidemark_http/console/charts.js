// Plots, drawn by uPlot (vendor/). A plot is made anew when its width or the theme changes.
/* global uPlot */

const HEIGHT = 150;
const SPAN_S = 60; // the shortest time that a plot shows
const BARS_MAX = 60;
const STEPS_S = [1, 2, 5, 10, 30, 60, 300, 900, 3600, 6 * 3600, 86_400, 7 * 86_400, 30 * 86_400];

// 2026-11-02 at midnight, else 14:05, or 14:05:30 where the marks are less than a minute apart.
function times(plot, splits, index, space, step) {
  return splits.map((seconds) => {
    const text = new Date(seconds * 1000).toISOString();
    if (seconds % 86_400 === 0) return text.slice(0, 10);
    return text.slice(11, step < 60 ? 19 : 16);
  });
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export class Chart {
  // bars: draw bars in place of a line
  constructor(container, label, { bars = false } = {}) {
    this.container = container;
    this.label = label;
    this.bars = bars;
    this.plot = null;
    this.look = "";
    container.setAttribute("role", "img");
  }

  // points: [seconds, ...] and [value, ...]
  show(points, description) {
    this.container.setAttribute("aria-label", `${this.label}: ${description}`);
    const width = this.container.clientWidth;
    if (width === 0 || typeof uPlot === "undefined") return;
    const look = `${width} ${document.documentElement.dataset.theme}`;
    if (this.plot !== null && this.look === look) {
      this.plot.setData(points);
      return;
    }
    if (this.plot !== null) this.plot.destroy();
    this.look = look;
    this.plot = new uPlot(this.options(width), points, this.container);
  }

  options(width) {
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
    const whole = (plot, values) => values.map((value) => (Number.isInteger(value) ? String(value) : ""));
    return {
      width,
      height: HEIGHT,
      cursor: { show: false },
      legend: { show: false },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      scales: {
        x: { range: (plot, low, high) => [Math.min(low, high - SPAN_S), high] },
        y: { range: (plot, low, high) => [0, Math.max(high, 1) * 1.1] },
      },
      axes: [{ ...axis, space: 80, size: 30, values: times }, { ...axis, size: 52, values: whole }],
      series: [
        {},
        {
          stroke: colour("--accent"),
          fill: this.bars ? colour("--accent") : undefined,
          width: this.bars ? 0 : 2,
          points: { show: false },
          paths: this.bars ? uPlot.paths.bars({ size: [0.8, 40], align: 1 }) : uPlot.paths.stepped({ align: 1 }),
        },
      ],
    };
  }
}

// Count events in at most BARS_MAX intervals of equal length, up to now.
export function histogram(timesMs, nowMs) {
  const end = Math.floor(nowMs / 1000);
  const first = Math.floor(Math.min(nowMs, ...timesMs) / 1000);
  const step = STEPS_S.find((each) => (end - first) / each < BARS_MAX - 1) || Math.ceil((end - first) / (BARS_MAX - 1));
  const count = Math.max(Math.floor(end / step) - Math.floor(first / step) + 1, 12);
  const begin = (Math.floor(end / step) - count + 1) * step;
  const seconds = Array.from({ length: count }, (_, index) => begin + index * step);
  const counts = new Array(count).fill(0);
  for (const ms of timesMs) {
    const index = Math.floor((Math.floor(ms / 1000) - begin) / step);
    if (index >= 0 && index < count) counts[index] += 1;
  }
  return [seconds, counts];
}
