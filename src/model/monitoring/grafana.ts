import type { MonitoredParts } from "./parts";
import { dashboardRows, type Panel } from "./dashboard";

// Without braces, which Flux would substitute.
const datasource = { type: "prometheus", uid: "$datasource" };
const width = 8;
const height = 8;

/** The dashboard in Grafana's JSON (schema 39: Grafana 11 and newer). */
export function grafanaDashboard(parts: MonitoredParts): object {
  let id = 0;
  let y = 0;
  const panels = dashboardRows(parts).flatMap(({ title, panels: ofRow }) => {
    const row = { id: ++id, type: "row", title, collapsed: false, gridPos: { x: 0, y: y++, w: 24, h: 1 }, panels: [] };
    const placed = ofRow.map((panel, i) => {
      const perRow = 24 / width;
      const gridPos = { x: (i % perRow) * width, y: y + Math.floor(i / perRow) * height, w: width, h: height };
      return { id: ++id, ...timeSeries(panel), gridPos };
    });
    y += Math.ceil((ofRow.length * width) / 24) * height;
    return [row, ...placed];
  });
  return {
    uid: "cluster-dns",
    title: "Cluster DNS",
    tags: ["dns", "coredns"],
    schemaVersion: 39,
    editable: false,
    refresh: "30s",
    time: { from: "now-1h", to: "now" },
    templating: { list: [{ type: "datasource", name: "datasource", label: "Data source", query: "prometheus" }] },
    panels,
  };
}

function timeSeries({ title, unit, queries }: Panel): object {
  return {
    type: "timeseries",
    title,
    datasource,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map(({ expr, legend }, i) => ({
      refId: String.fromCharCode(65 + i),
      datasource,
      expr,
      legendFormat: legend,
    })),
  };
}
