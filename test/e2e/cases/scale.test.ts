import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalApiServer } from "../../../rig/admission/local-api-server";
import { addresses } from "../../../rig/coredns/ask";
import { authoritativeCorefileOf } from "../../../rig/coredns/corefile-of";
import { runCoreDNS, type Running } from "../../../rig/coredns/coredns";
import { FakeCluster, fakeNode } from "../../../rig/kwok";
import { Meter } from "../../../rig/relay";
import { until } from "../../../rig/until";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { parseQuantity } from "../../../src/model/syntax/quantity";
import { Audit } from "../lib/scale/audit";
import { buildCli, print, runCli, sixteenAtATime, spentBy, spentDuring, type Spent } from "../lib/scale/measured";
import { addressesOf, endpointsEach, endpointSlice, headlessService, namespace } from "../lib/scale/objects";
import { apply, kubectl, rolledOut } from "../lib/scale/rolled-out";
import { temporaryFolder } from "../../temporary-folder";

// A real API server with the objects of Kubernetes' own test of 5,000 nodes, its controllers and scheduler, nodes of KWOK,
// and one real CoreDNS. docs/scale.md has the figures. `SCALE_NODES=100 SCALE_SERVICES=200` tries it.

const nodes = Number(process.env["SCALE_NODES"] ?? 1000);
const services = Number(process.env["SCALE_SERVICES"] ?? 10_000);
const size = { nodes, services, pods: services * endpointsEach };
const props: ClusterDnsProps = {
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "nftables",
  agentImage: "registry.example/agent:1",
  size,
};
const changed: ClusterDnsProps = { ...props, stubDomains: { "corp.example": ["10.1.2.3"] } };
const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
const memory = clusterOf(props).components.authoritativeDns?.memory;

const folder = temporaryFolder("scale");
const audit = new Audit(folder);
let api: LocalApiServer;
let relay: Meter;
let coredns: Running;
let fake: FakeCluster | undefined;

beforeAll(async () => {
  buildCli();
  api = await LocalApiServer.start(audit.flags);
  relay = await new Meter(api.port).start();
  await api.must("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  await sixteenAtATime(services, async (i) => {
    await api.must("POST", `/api/v1/namespaces/${namespace}/services`, headlessService(i));
    await api.must("POST", slices, endpointSlice(i, 0, nodes));
  });
});

afterAll(async () => {
  await fake?.stop();
  await coredns?.stop();
  relay?.stop();
  await api?.stop();
});

it("a CoreDNS starts, rests, follows changes and outlives a restart of the API server within its memory", async () => {
  const { cert, key, authority } = api.files;
  const from = audit.now();
  coredns = await runCoreDNS(authoritativeCorefileOf(props), {
    api: `https://127.0.0.1:${relay.port}`,
    tls: [cert, key, authority],
    startSeconds: 120,
  });
  await knows(services - 1, 0);
  print("start", { ...spentBy(coredns.pid), megabytes: relay.received / 1e6, asked: audit.since(from, /^coredns/i) });
  await expectEveryHundredth(() => 0);

  await during("20 s at rest", () => sleep(20_000));

  const tenth = services / 10;
  await during(`${tenth * endpointsEach} endpoints change`, async () => {
    await sixteenAtATime(tenth, (i) => api.must("PUT", `${slices}/service-${i}`, endpointSlice(i, 1, nodes)));
    await knows(tenth - 1, 1);
  });
  await expectEveryHundredth((i) => (i < tenth ? 1 : 0));

  await during("a new Service", () => propagates("new"));
  await during("the API server is killed and starts again", async () => {
    await api.restart();
    await propagates("after");
  });
  expect(coredns.ended()).toBeUndefined();
}, 900_000);

it(
  "a rollout of the cache leaves no node without one",
  async () => {
    await sixteenAtATime(nodes, (i) => api.must("POST", "/api/v1/nodes", fakeNode(i)));
    fake = await FakeCluster.start(api);
    await apply(api, props);
    await rolledOut(api, fake, "node-local-dns", nodes);

    // As by default.
    await fake.startControllers(20);
    const [from, received] = [audit.now(), relay.received];
    await apply(api, changed);
    const rollout = await rolledOut(api, fake, "node-local-dns", nodes);
    const asked = Object.fromEntries(
      ["daemon-set-controller", "kube-scheduler", "endpointslice-controller", "kwok"].map((who) => [
        who,
        audit.since(from, new RegExp(who)),
      ]),
    );
    print(`a rollout to ${nodes} nodes`, { ...rollout, asked, megabytesToCoreDNS: (relay.received - received) / 1e6 });
    expect(rollout.unavailable).toBe(0);
  },
  (600 + 2 * nodes) * 1000,
);

it("doctor, preflight and diff read the cluster within 300 MB", async () => {
  writeFileSync(join(folder, "nodes.json"), await kubectl(api, ["get", "nodes", "-o", "json"]));
  mkdirSync(join(folder, "clusters"));
  writeFileSync(join(folder, "clusters/prod.yaml"), JSON.stringify(changed));
  for (const args of [
    ["preflight", "prod", "--nodes", "nodes.json"],
    ["diff", "--live", "prod", "--context", "cluster-dns"],
    ["doctor", "prod"],
  ]) {
    const { printed, ...ran } = await runCli(folder, api.files.kubeconfig, args);
    print(args.join(" "), { ...ran, printed: printed.slice(0, 500) });
    expect([args, ran.status, ran.peak < 300]).toEqual([args, 0, true]);
  }
}, 900_000);

/** Prints what CoreDNS spends meanwhile, which must be within its memory. */
async function during(what: string, work: () => Promise<unknown>): Promise<Spent> {
  const [from, received] = [audit.now(), relay.received];
  const spent = await spentDuring(coredns.pid, work);
  print(what, { ...spent, megabytes: (relay.received - received) / 1e6, asked: audit.since(from, /^coredns/i) });
  expect(spent.peak).toBeLessThan(Number(parseQuantity(memory?.limit ?? "0")?.nanos) / 1e9 / 2 ** 20);
  return spent;
}

async function answer(name: string): Promise<string[]> {
  const question = { name: `${name}.${namespace}.svc.cluster.local`, port: coredns.port };
  return [await addresses(question).catch(() => [])].flat().sort();
}

function knows(i: number, generation: number): Promise<true | undefined> {
  const expected = addressesOf(i, generation).sort().join();
  return until(`Service ${i}`, 120, async () => (await answer(`service-${i}`)).join() === expected || undefined);
}

async function expectEveryHundredth(generation: (i: number) => number): Promise<void> {
  const sample = Array.from({ length: Math.ceil(services / 100) }, (_, i) => i * 100);
  const found = await Promise.all(sample.map((i) => answer(`service-${i}`)));
  expect(found).toEqual(sample.map((i) => addressesOf(i, generation(i)).sort()));
}

/** Creates a Service; prints the milliseconds until it answers. */
async function propagates(name: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/services`;
  const created = await api.must("POST", path, { metadata: { name }, spec: { ports: [{ port: 80 }] } });
  const { clusterIP } = created["spec"] as { clusterIP: string };
  const from = performance.now();
  await until(`an answer for ${name}`, 120, async () => (await answer(name)).join() === clusterIP, 20);
  print(`${name} answers`, { ms: performance.now() - from });
}
