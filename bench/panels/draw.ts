import { init, type EChartsOption } from "echarts";
import type { Panel } from "../../src/model/monitoring/dashboard";
import type { Recording } from "./recording";

const [width, height] = [500, 280];

/** A panel as SVG, as Grafana would show it. The events are numbered lines. */
export function draw(panel: Panel, recording: Recording): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  chart.setOption(optionOf(panel, recording));
  const svg = chart.renderToSVGString();
  chart.dispose();
  // What reacts to a mouse, and numbers by which a picture would depend on those drawn before it.
  return `${svg.replace(/ class="zr[^"]*"|<style[^]*<\/style>\n/g, "").replace(/\bzr\d+-/g, "")}\n`;
}

function optionOf({ title, unit, queries }: Panel, { seconds, step, events, series }: Recording): EChartsOption {
  const lines = queries.flatMap(({ expr, legend }) =>
    (series[expr] ?? []).map(({ labels, values }) => ({
      name: legend.replace(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? ""),
      points: values.map((value, i) => [i * step, value]),
    })),
  );
  return {
    animation: false,
    backgroundColor: "white",
    title: { text: title, left: 10, top: 8, textStyle: { fontSize: 13 } },
    legend: { top: height - 50, left: 10, itemWidth: 12, itemHeight: 3, itemGap: 20, textStyle: { fontSize: 11 } },
    grid: { left: 56, right: 16, top: 48, bottom: 76 },
    xAxis: {
      type: "value",
      max: seconds,
      interval: 60,
      axisLabel: { showMaxLabel: false, formatter: (second: number) => `${second / 60} min` },
      splitLine: { show: false },
    },
    yAxis: { type: "value", min: 0, axisLabel: { formatter: (value: number) => inUnit(value, unit) } },
    series: lines.map(({ name, points }, i) => ({
      type: "line",
      name,
      data: points,
      showSymbol: false,
      lineStyle: { width: 1.5 },
      silent: true,
      ...(i === 0 && {
        markLine: {
          symbol: "none",
          silent: true,
          lineStyle: { color: "#888", type: "dashed" },
          data: events.map(({ at }, event) => ({ xAxis: at, label: { formatter: `${event + 1}` } })),
        },
      }),
    })),
  };
}

function inUnit(value: number, unit: Panel["unit"]): string {
  if (unit === "percentunit") return `${rounded(value * 100)} %`;
  if (unit === "s") return value !== 0 && value < 1 ? `${rounded(value * 1000)} ms` : `${rounded(value)} s`;
  return unit === "reqps" ? `${rounded(value)} /s` : rounded(value);
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(3)));
}
