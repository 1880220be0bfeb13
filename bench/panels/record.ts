import { clusterDns } from "../../rig/cluster/addresses";
import { agentImage } from "../../rig/cluster/agent-image";
import { Cluster } from "../../rig/cluster/cluster";
import { namespaceObject, pod, service } from "../../rig/cluster/objects";
import { startPodsThatAsk } from "../../rig/load/pods-that-ask";
import { deployMonitored } from "../../rig/prometheus/deploy-monitored";
import { everyAlert } from "../../rig/prometheus/every-alert";
import type { Prometheus, Series } from "../../rig/prometheus/prometheus";
import { consoleProgress } from "../../rig/progress";
import { sleep } from "../../rig/until";
import { clusterOf } from "../../src/model/cluster/cluster";
import type { Panel } from "../../src/model/monitoring/dashboard";
import { ruleGroups } from "../../src/model/monitoring/rule-groups";
import { panelsOf } from "./dashboard";
import type { RecordedSeries, Recording } from "./recording";

/** The recorded part of the cluster's life. */
const seconds = 270;
/** Three scrapes lie between two values. */
const step = 6;
const scrapeSeconds = 2;
/** As Grafana computes it from the two. */
const rateInterval = `${Math.max(step + scrapeSeconds, 4 * scrapeSeconds)}s`;

/** Runs a cluster under load, does to it what a bad day may bring, and returns what its Prometheus says of it. */
export async function record(): Promise<Recording> {
  const options = { name: `panels-${process.pid}`, proxyMode: "nftables", nodes: 2, ipFamilies: "IPv4" } as const;
  const cluster = await Cluster.up({ ...options, ownerPid: process.pid }, consoleProgress());
  try {
    await cluster.kubectl.apply([namespaceObject("bar")]);
    const props = everyAlert(agentImage);
    const { monitoring } = clusterOf(props).components;
    const groups = monitoring ? ruleGroups(monitoring.parts, "https://runbooks.example") : [];
    const prometheus = await deployMonitored(cluster, props, { groups, seconds: scrapeSeconds });
    const names = [
      "kubernetes.default.svc.cluster.local",
      "%.default.svc.cluster.local",
      "www.outside.test",
      "%.outside.test",
    ];
    const asked = { server: clusterDns.ipv4, names, rate: 40 };
    const endLoad = await startPodsThatAsk(cluster, { "client-1": "node-1", "client-2": "node-2" }, asked);
    await sleep(45_000); // until nothing of the start is in the rates
    const start = Math.floor(Date.now() / 1000);
    const events = await live(cluster);
    const range = { start, end: start + seconds, step };
    const series = await recorded(prometheus, panelsOf(props), range);
    await endLoad();
    return { seconds, step, events, series };
  } finally {
    await cluster.down();
  }
}

/** What happens to the cluster, in seconds from now on. Returns when it has, and the recorded time is over. */
async function live(cluster: Cluster): Promise<Recording["events"]> {
  const { kubectl } = cluster;
  const start = Date.now();
  const at = (second: number) => sleep(Math.max(0, start + second * 1000 - Date.now()));
  const events = [
    { at: 45, what: "the cache of node-1 hangs", act: async () => hang(cluster) },
    {
      at: 165,
      what: "CoreDNS is restarted",
      act: () => kubectl.run(["rollout", "restart", "deployment", "coredns", "-n", "kube-system"]),
    },
    {
      at: 225,
      what: "Service late is created",
      act: () => kubectl.apply([service({ name: "late", selector: { app: "late" } })]),
    },
  ];
  const acting = (async () => {
    for (const event of events) {
      await at(event.at);
      await event.act();
    }
  })();
  // twice a value, of the admission policies and the webhook
  for (let second = 0; second < seconds; second += 4) {
    await at(second);
    await kubectl.apply([pod({ name: `pod-${second}`, namespace: "bar", node: "node-2" })]);
    await kubectl.run(["delete", "pod", `pod-${second}`, "-n", "bar", "--wait=false"]);
  }
  await acting;
  await at(seconds);
  return events.map(({ at: second, what }) => ({ at: second, what }));
}

async function hang(cluster: Cluster): Promise<void> {
  const node = cluster.node(1);
  const pods = await cluster.kubectl.list("pods", "kube-system", "k8s-app=node-local-dns");
  const ofNode = pods.find(({ spec }) => (spec as { nodeName: string }).nodeName === node.name);
  process.kill(node.podProcess(ofNode?.metadata.uid ?? ""), "SIGSTOP");
}

async function recorded(
  prometheus: Prometheus,
  panels: readonly Panel[],
  range: { readonly start: number; readonly end: number; readonly step: number },
): Promise<Recording["series"]> {
  const expressions = panels.flatMap(({ queries }) => queries.map(({ expr }) => expr));
  const all = expressions.map(async (expr) => {
    const series = await prometheus.queryRange(expr.replaceAll("$__rate_interval", rateInterval), range);
    return [expr, series.map((each) => thinned(each, range.start))] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

/** With three digits, which is more than a picture shows. */
function thinned({ metric, values }: Series, start: number): RecordedSeries {
  const { __name__: _, ...labels } = metric;
  const byTime = new Map(values.map(([time, value]) => [time, Number(value)]));
  return {
    labels,
    values: Array.from({ length: seconds / step + 1 }, (_none, i) => {
      const value = byTime.get(start + i * step);
      return value === undefined || Number.isNaN(value) ? null : Number(value.toPrecision(3));
    }),
  };
}
