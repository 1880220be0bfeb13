import { expect, it } from "vitest";
import { createMetrics as nodeResolver } from "../../src/agent/node-resolver/metrics";
import { createMetrics as watchdog } from "../../src/agent/watchdog/metrics";
import { createMetrics as webhook } from "../../src/agent/webhook/metrics";
import { clusterOf } from "../../src/model/cluster/cluster";
import { grafanaDashboard } from "../../src/model/monitoring/grafana";
import { ruleGroups } from "../../src/model/monitoring/rule-groups";
import { everyAlert } from "../../rig/prometheus/every-alert";

it("rules and dashboard read only metrics that our programs have", async () => {
  const { monitoring } = clusterOf(everyAlert("registry.example/agent:1")).components;
  const parts = monitoring?.parts;
  const read = parts ? JSON.stringify([ruleGroups(parts, ""), grafanaDashboard(parts)]) : "";
  const texts = await Promise.all([watchdog(), nodeResolver(), webhook(() => 0)].map((metrics) => metrics.text()));
  const known = new Set(texts.flatMap((text) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)));
  const used = [
    ...read.matchAll(/\b((?:node_local_dns_watchdog|node_resolver|cluster_dns_webhook)_\w+?)(?:_bucket)?\{/g),
  ];
  expect(used.length).toBeGreaterThan(20);
  expect([...new Set(used.map(([, name]) => name))].filter((name) => !known.has(name))).toEqual([]);
});
