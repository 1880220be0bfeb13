import { expect, it } from "vitest";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { pauseImage } from "../../../../rig/cluster/node-files";
import { until } from "../../../../rig/until";
import { cacheProcess, ledToCache, metric } from "../../lib/node-cache";
import { underLoad, watchdogApp } from "./under-load";

// Without a watchdog, a hang lasts with this packet filter: test/kernel/hang.test.ts.
const packetFilter = "iptables";
const r = underLoad({ kubeProxyMode: "iptables", interception: "service-ip" });

it("the watchdog in a DaemonSet of one's own takes a cache out of use while it hangs", async () => {
  await r.commit(r.objects({ packetFilter }).flatMap(inOwnDaemonSet));
  expect((await r.pods("network-agent")).length).toBe(r.cluster().nodes.length);
  expect(await r.pods(watchdogApp)).toEqual([]);
  await ledToCache(r.node());

  const hung = await cacheProcess(r.cluster(), r.node());
  const led = () => metric(r.node(), "watchdog", /^node_local_dns_watchdog_local/);
  const report = await r.during("the cache hangs, its watchdog in another DaemonSet", async () => {
    process.kill(hung, "SIGSTOP");
    await until("the watchdog to lead past the cache", 60, async () => (await led()) === 0);
    process.kill(hung, "SIGCONT");
    await ledToCache(r.node());
  });
  expect(report.lost).toBeLessThan(report.sent / 2);
});

/** As in examples/typescript/watchdog-in-your-daemonset.ts. */
function inOwnDaemonSet(each: KubernetesObject): KubernetesObject[] {
  if (each.metadata.name !== watchdogApp) return [each];
  if (each.kind === "ServiceAccount") return [];
  if (each.kind !== "DaemonSet") return [each];
  const { metadata, spec } = (each as WatchdogDaemonSet).spec.template;
  const labels = { "k8s-app": "network-agent" };
  const { priorityClassName, tolerations, nodeSelector, volumes, containers } = spec;
  const template = {
    metadata: { labels, annotations: metadata.annotations },
    spec: {
      hostNetwork: true,
      priorityClassName,
      tolerations,
      nodeSelector,
      containers: [{ name: "network-agent", image: pauseImage }, ...containers],
      volumes,
    },
  };
  return [
    {
      ...each,
      metadata: { name: "network-agent", namespace: "kube-system" },
      spec: { selector: { matchLabels: labels }, template },
    },
  ];
}

interface WatchdogDaemonSet extends KubernetesObject {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly annotations: object };
      readonly spec: Readonly<Record<string, unknown>> & { readonly containers: readonly object[] };
    };
  };
}
