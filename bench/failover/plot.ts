import type { FailoverResult } from "../../rig/kernel/failover-cases";
import { cache, cluster } from "../../rig/kernel/scenario";
import { lossText } from "../../rig/load/text";

export interface Panel extends Pick<FailoverResult, "load" | "events"> {
  readonly title: string;
}

const width = 860;
const height = 150;
const margin = { left: 50, right: 20, top: 44, bottom: 26 };
const binMs = 50;

const kinds = [
  { name: "answered by the cache", color: "#2b8a3e" },
  { name: "answered by the cluster DNS", color: "#1971c2" },
  { name: "lost or failed", color: "#e03131" },
] as const;

/** Answers over time by who answered, one panel each, as SVG. */
export function plot(panels: readonly Panel[]): string {
  const total = panels.length * height + 30;
  const legend = kinds.map(
    ({ name, color }, i) =>
      `<rect x="${margin.left + i * 210}" y="8" width="12" height="12" fill="${color}"/><text x="${margin.left + 18 + i * 210}" y="18">${name}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${total}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${total}" fill="white"/>`,
    ...legend,
    ...panels.map((panel, i) => `<g transform="translate(0 ${30 + i * height})">${renderPanel(panel)}</g>`),
    "</svg>",
    "",
  ].join("\n");
}

function renderPanel({ title, load, events }: Panel): string {
  const seconds = load.seconds;
  const bins = binned(load, Math.ceil((seconds * 1000) / binMs));
  const most = Math.max(...bins.map((bin) => bin.reduce((a, b) => a + b, 0)));
  const x = (ms: number) => margin.left + (ms / (seconds * 1000)) * (width - margin.left - margin.right);
  const plotHeight = height - margin.top - margin.bottom;
  const base = height - margin.bottom;
  const bars = bins.flatMap((bin, i) => {
    let top = base;
    return bin.map((count, kind) => {
      const size = (count / most) * plotHeight;
      top -= size;
      return count === 0
        ? ""
        : `<rect x="${x(i * binMs).toFixed(1)}" y="${top.toFixed(1)}" width="${(x(binMs) - x(0)).toFixed(2)}" height="${size.toFixed(1)}" fill="${kinds[kind]?.color}"/>`;
    });
  });
  const marks = events.map(
    ({ at, what }, i) =>
      `<line x1="${x(at).toFixed(1)}" x2="${x(at).toFixed(1)}" y1="${margin.top - 4}" y2="${base}" stroke="black" stroke-dasharray="3 2"/><text x="${(x(at) + 3).toFixed(1)}" y="${margin.top - 6 - (i % 2) * 11}" font-size="10">${escape(what)}</text>`,
  );
  const axis = Array.from(
    { length: Math.floor(seconds) + 1 },
    (_, s) => `<text x="${x(s * 1000)}" y="${base + 14}" text-anchor="middle" font-size="10">${s} s</text>`,
  );
  return [
    `<text x="${margin.left}" y="14" font-weight="bold">${escape(title)}</text>`,
    `<text x="${width - margin.right}" y="14" text-anchor="end">${lossText(load)}</text>`,
    ...bars,
    ...marks,
    ...axis,
  ].join("");
}

function binned(load: Panel["load"], count: number): number[][] {
  const bins = Array.from({ length: count }, () => [0, 0, 0]);
  for (const { sentMs, answer } of load.queries) {
    const bin = bins[Math.min(count - 1, Math.floor(sentMs / binMs))];
    const kind = answer === cache ? 0 : answer === cluster ? 1 : 2;
    if (bin) bin[kind] = (bin[kind] ?? 0) + 1;
  }
  return bins;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
