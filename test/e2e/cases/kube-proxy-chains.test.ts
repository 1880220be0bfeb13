import { beforeAll, expect, it } from "vitest";
import { deploy } from "../../../rig/cluster/deploy";
import type { ClusterNode } from "../../../rig/cluster/node";
import { service } from "../../../rig/cluster/objects";
import { until } from "../../../rig/until";
import { kubeSvcChain } from "../../../src/model/packet-rules/iptables/kube-svc-chain";
import { chainName } from "../../../src/model/packet-rules/iptables/names";
import { parseSaved, type SavedTable } from "../../../src/model/packet-rules/iptables/saved";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { dig, answered } from "../lib/dig";
import { useCluster } from "../lib/use-cluster";
import { cacheProcess, ledToCache, listenersInUse, metric } from "../lib/programs";
import { facts } from "../lib/usual";
import { forgetServicesOnRouter } from "../lib/node-faults";

// Rules in iptables that jump into the chains of the real kube-proxy, and what each does to the other. The tests run in
// order, and each leaves the node as it found it.

const server = "169.254.20.10";
const inside = "kubernetes.default.svc.cluster.local";
const outside = "www.outside.test";

const props: ClusterDnsProps = {
  ...facts,
  authoritativeDNS: { nodePlacement: { nodeSelector: { "kubernetes.io/hostname": "node-2" } } },
  nodeLocalDNS: { interception: "link-local", packetFilter: "iptables", cache: { serveStale: "1h" } },
};

/** Of Service kube-dns. */
const chains = {
  udp: kubeSvcChain({ namespace: "kube-system", name: "kube-dns", port: "dns", protocol: "udp" }),
  tcp: kubeSvcChain({ namespace: "kube-system", name: "kube-dns", port: "dns-tcp", protocol: "tcp" }),
};

const cluster = useCluster();
const node = (): ClusterNode => cluster().node(1);

beforeAll(async () => {
  await forgetServicesOnRouter(cluster());
  await deploy(cluster(), props);
  await cluster().startPod({ name: "client", labels: { app: "client" }, node: "node-1" });
  await ledToCache(node());
});

it("a cache that hangs is passed by through the chains that kube-proxy filled", async () => {
  for (const chain of Object.values(chains))
    await until(`kube-proxy's rules in ${chain}`, 60, async () => (await rulesOf(chain)).length > 0);
  await expectAnswers();
  await expectAnswersPastCache();
});

it("while kube-proxy's syncs fail, names are answered by the cache and past it", async () => {
  const restore = "/etc/alternatives/iptables-restore";
  const real = (await node().exec(["readlink", restore])).trim();
  const before = await syncs();
  await node().exec(["ln", "-sfn", "/bin/false", restore]);
  try {
    await add("unsynced", "10.96.78.1");
    await failedSince(before);
    expect(await isTranslated("10.96.78.1")).toBe(false);
    await expectAnswers("unsynced.default.svc.cluster.local", "10.96.78.1");
    await expectAnswersPastCache();
  } finally {
    await node().exec(["ln", "-sfn", real, restore]);
  }
  await syncedAgain("10.96.78.1");
  await expectAnswersPastCache();
});

it("while the cluster DNS has no pods, every sync fails, as documented, and the cache answers what it knows", async () => {
  const deployment = ["deployment", "coredns", "-n", "kube-system"];
  await expectAnswers();
  const before = await syncs();
  try {
    await cluster().kubectl.run(["scale", ...deployment, "--replicas=0"]);
    await failedSince(before, 90);
    await add("without-dns", "10.96.78.2");
    await failedSince(await syncs());
    expect(await isTranslated("10.96.78.2")).toBe(false);
    await expectAnswers();
  } finally {
    await cluster().kubectl.run(["scale", ...deployment, "--replicas=2"]);
    await cluster().kubectl.rolledOut("deployment", "coredns", "kube-system");
  }
  await syncedAgain("10.96.78.2");
  await expectAnswers("without-dns.default.svc.cluster.local", "10.96.78.2");
  await expectAnswersPastCache();
});

it("kube-proxy starts where the rules have declared its chains, and fills them", async () => {
  await node().powerOff();
  await node().powerOn({ withProxy: false });
  await until("the client's container", 150, async () => node().podPid((await cluster().pod("client")).uid));
  await ledToCache(node());
  for (const chain of Object.values(chains)) {
    expect(await nat()).toMatchObject({ chains: expect.arrayContaining([chain]) });
    expect(await rulesOf(chain)).toEqual([]);
  }
  const client = await cluster().pod("client");
  expect((await dig(client, { server, name: outside })).udp.answers).toEqual(["A 192.0.2.1"]);
  expect((await dig(client, { server, name: inside })).udp.answers).toEqual([]);

  node().startProxy();
  await until("kube-proxy's first sync", 60, async () => (await syncs()).last > 0);
  // The cache keeps its SERVFAIL for five seconds.
  const asked = () => dig(client, { server, name: inside });
  await until("a name of the cluster", 30, async () => (await asked()).udp.answers.length > 0);
  await expectAnswers();
  await expectAnswersPastCache();
  expect((await syncs()).failed).toBe(0);
  expect(await metric(node(), "watchdog", /^node_local_dns_watchdog_repairs_total/)).toBe(0);
});

async function expectAnswers(name = inside, address = "10.96.0.1"): Promise<void> {
  const client = await cluster().pod("client");
  expect({ name, ...(await dig(client, { server, name })) }).toEqual({ name, ...answered(`A ${address}`) });
}

/** While the cache hangs, each query is counted by the jump to kube-proxy's chain. */
async function expectAnswersPastCache(): Promise<void> {
  const pid = await cacheProcess(cluster(), node());
  process.kill(pid, "SIGSTOP");
  try {
    await until("the cache to be out of use", 30, async () => (await listenersInUse(node())) === 0);
    const before = await passed();
    await expectAnswers();
    const after = await passed();
    expect({ udp: after.udp - before.udp, tcp: after.tcp - before.tcp }).toEqual({ udp: 1, tcp: 1 });
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await ledToCache(node());
}

/** Flows that our chain has given to kube-proxy's chains. */
async function passed(): Promise<{ udp: number; tcp: number }> {
  const { rules } = await nat();
  const through = (target: string) =>
    rules
      .filter(({ chain, line }) => chain === chainName && line.endsWith(` -j ${target}`))
      .reduce((total, { packets }) => total + packets, 0);
  return { udp: through(chains.udp), tcp: through(chains.tcp) };
}

async function rulesOf(name: string): Promise<string[]> {
  return (await nat()).rules.filter(({ chain }) => chain === name).map(({ line }) => line);
}

async function nat(): Promise<SavedTable> {
  const table = parseSaved(await node().exec(["iptables-save", "-c"])).find(({ name }) => name === "nat");
  if (table === undefined) throw new Error(`${node().name} has no table nat`);
  return table;
}

/** A Service with a pod, which the chains of table nat lead to. Without one, kube-proxy only rejects, in table filter. */
async function add(name: string, clusterIP: string): Promise<void> {
  await cluster().kubectl.apply([service({ name, selector: { app: "client" }, spec: { clusterIP } })]);
}

async function isTranslated(clusterIP: string): Promise<boolean> {
  return (await nat()).rules.some(
    ({ chain, line }) => chain === "KUBE-SERVICES" && line.includes(` -d ${clusterIP}/32 `),
  );
}

async function syncs(): Promise<{ failed: number; last: number }> {
  return {
    failed: await metric(node(), "kubeProxy", /^kubeproxy_sync_proxy_rules_iptables_(partial_)?restore_failures_total/),
    last: await metric(node(), "kubeProxy", /^kubeproxy_sync_proxy_rules_last_timestamp_seconds/),
  };
}

async function failedSince({ failed }: { failed: number }, seconds = 60): Promise<void> {
  await until("a failing sync of kube-proxy", seconds, async () => (await syncs()).failed > failed);
}

/** Waits for a sync of this Service; no later one fails. */
async function syncedAgain(clusterIP: string): Promise<void> {
  await until(`a sync of ${clusterIP}`, 60, () => isTranslated(clusterIP));
  const { failed, last } = await syncs();
  await add("afterwards", "10.96.78.9");
  await cluster().kubectl.delete("service", "afterwards");
  await until("another sync", 60, async () => (await syncs()).last > last);
  expect((await syncs()).failed).toBe(failed);
}
