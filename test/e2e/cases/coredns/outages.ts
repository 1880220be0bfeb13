import { setTimeout as sleep } from "node:timers/promises";
import { addresses } from "../../../../rig/coredns/ask";
import { Balancer } from "../../../../rig/coredns/balancer";
import { authoritativeCorefileOf, nodeLocalDnsCorefileBeside } from "../../../../rig/coredns/corefile-of";
import { type Running, runCoreDNS } from "../../../../rig/coredns/coredns";
import { FakeApi } from "../../../../rig/coredns/fake-api";
import { namespace, putHeadless, service } from "../../../../rig/coredns/objects";
import { until } from "../../../../rig/until";
import type { Corefile } from "../../../../src/model/corefile/corefile";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { DnsServer } from "../../../../rig/dns-server";

/** How many times as fast as in a cluster time passes: an answer lives for a second, and for 30 in a cluster. */
const pace = Number(process.env["OUTAGES_PACE"] ?? 30);
export const minuteMs = 60_000 / pace;
const cache = { success: { ttl: 30 / pace } };

/** Asked before anything happens, and every minute. */
export const known = {
  service: "cart.shop.svc.cluster.local",
  apiServer: "kubernetes.default.svc.cluster.local",
  pod: "db-0.db.shop.svc.cluster.local",
  outside: "app.outside.example",
  pinned: "registry.outside.example",
};
const made = "new.shop.svc.cluster.local";

type YesOrNo = "yes" | "no";

/** Which names resolve, as a pod of a node sees it. */
export interface Answered {
  /** A Service, the API server's, and a pod of a headless Service. */
  readonly cluster: YesOrNo;
  readonly outside: YesOrNo;
  readonly pinned: YesOrNo;
  /** A name outside that was never asked before. */
  readonly unknown: YesOrNo;
  /** A Service that came while all this was going on. */
  readonly made: YesOrNo;
  /** The cluster's names, on another node, whose cache may have restarted. */
  readonly restarted: YesOrNo;
  /** Of those that resolve. */
  readonly slowestMs: number;
}

export type SmallCluster = Awaited<ReturnType<typeof clusterWith>>;

/** Two pods of CoreDNS behind their Service, and the caches of two nodes. */
export async function clusterWith(resilience: NonNullable<ClusterDnsProps["resilience"]>) {
  const api = new FakeApi();
  for (const name of ["shop", "default"]) api.put("namespaces", namespace(name));
  api.put("services", service("shop", "cart", "10.96.1.1"));
  api.put("services", service("default", "kubernetes", "10.96.0.1"));
  putHeadless(api, "shop", "db", "db-0", "10.244.1.1");
  const url = await api.start();
  const upstream = await new DnsServer(() => ["192.0.2.1"]).start();
  const props: ClusterDnsProps = {
    clusterDNS: ["10.96.0.10"],
    kubeProxyMode: "iptables",
    agentImage: "agent:1",
    upstreamNameservers: [`127.0.0.1:${upstream.port}`],
    authoritativeDNS: { cache },
    nodeLocalDNS: { cache },
    resilience,
  };
  const startPod = () => runCoreDNS(withoutReady(authoritativeCorefileOf(props)), { api: url });
  const pods: (Running | undefined)[] = await Promise.all([startPod(), startPod()]);
  const dnsService = new Balancer(...pods.map((pod) => pod?.port ?? nowhere));
  await dnsService.start();
  const startCache = () => runCoreDNS(nodeLocalDnsCorefileBeside(dnsService.port, props), { api: "" });
  const caches = await Promise.all([startCache(), startCache()]);
  const starting: Promise<void>[] = [];

  const resolves = async (port: number, name: string) => {
    const found = await addresses({ name, port, timeoutMs: 5000 }).catch(() => "SILENCE");
    return /^\d+\./.test(String(found));
  };
  /** As the kubelet and kube-proxy do with pods that are not ready. */
  const keepReady = async () => {
    const ready = await Promise.all(
      pods.map(async (pod) => (pod && (await resolves(pod.port, known.apiServer)) ? [pod.port] : [])),
    );
    dnsService.pods = ready.flat().length > 0 ? ready.flat() : [nowhere];
  };
  const askAll = (port: number, names: readonly string[]) =>
    Promise.all(
      names.map(async (name) => {
        const start = performance.now();
        return (await resolves(port, name)) ? performance.now() - start : undefined;
      }),
    );
  const ofCluster = [known.service, known.apiServer, known.pod];
  const all = Object.values(known);
  const answers = async (): Promise<Answered> => {
    await keepReady();
    const [here, there] = [caches[0]?.port ?? 0, caches[1]?.port ?? 0];
    const never = `n${Math.random()}.outside.example`;
    const groups = await Promise.all([
      askAll(here, ofCluster),
      askAll(here, [known.outside]),
      askAll(here, [known.pinned]),
      askAll(here, [never]),
      askAll(here, [made]),
      askAll(there, ofCluster),
    ]);
    const said = groups.map((took): YesOrNo => (took.includes(undefined) ? "no" : "yes"));
    const [cluster = "no", outside = "no", pinned = "no", unknown = "no", isMade = "no", restarted = "no"] = said;
    const slowest = Math.max(0, ...groups.slice(0, 3).flatMap((took) => took.filter((ms) => ms !== undefined)));
    return { cluster, outside, pinned, unknown, made: isMade, restarted, slowestMs: Math.round(slowest) };
  };
  await until("the names", 20, async () => {
    await keepReady();
    const took = (await Promise.all(caches.map(({ port }) => askAll(port, all)))).flat();
    return !took.includes(undefined);
  });
  return {
    api,
    upstream,
    answers,
    addService: () => api.put("services", service("shop", "new", "10.96.1.2")),
    /** What the nodes send is lost. */
    cut: () => {
      dnsService.fallSilent();
      upstream.answer = () => "silence";
    },
    /** It starts while time goes on. */
    restart: async (index: number) => {
      await pods[index]?.stop();
      pods[index] = undefined;
      await keepReady();
      const start = async () => void (pods[index] = await startPod());
      starting.push(start());
    },
    restartColdCache: async () => {
      await caches[1]?.stop();
      caches[1] = await startCache();
    },
    /** Waits until so many minutes have passed. Meanwhile pods that are not ready leave the Service. */
    pass: async (begun: number, minutes: number) => {
      const end = begun + minutes * minuteMs;
      while (Date.now() < end) {
        await keepReady();
        await sleep(Math.max(0, Math.min(minuteMs / 4, end - Date.now())));
      }
    },
    stop: async () => {
      await Promise.allSettled(starting);
      await Promise.all([...pods, ...caches].map((each) => each?.stop()));
      dnsService.stop();
      upstream.stop();
      await api.stop();
    },
  };
}

/** No Service has a pod at this port. */
const nowhere = 9;

/** It is not ready without an API server, which the rig would wait for. */
function withoutReady(corefile: Corefile): Corefile {
  return corefile.map((block) => ({ ...block, plugins: block.plugins.filter(({ name }) => name !== "ready") }));
}
