import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import packet from "dns-packet";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalApiServer } from "../../../rig/admission/local-api-server";
import { addresses } from "../../../rig/coredns/ask";
import { runCoreDNS, type Running } from "../../../rig/coredns/coredns";
import { authoritativeCorefileOf } from "../../../rig/coredns/corefile-of";
import { Meter } from "../../../rig/relay";
import { repositoryRoot } from "../../../rig/repository";
import { tool } from "../../../rig/tools";
import { until } from "../../../rig/until";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { parseQuantity } from "../../../src/model/syntax/quantity";

// A real API server with the objects of Kubernetes' own test of 5,000 nodes, and one real CoreDNS. docs/scale.md has the figures.

const size = { nodes: 5000, services: Number(process.env["SCALE_SERVICES"] ?? 10_000), pods: 0 };
const endpointsEach = 10;
const namespace = "many";
const props: ClusterDnsProps = {
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "nftables",
  nodeLocalDNS: { state: "disabled" },
  size: { ...size, pods: size.services * endpointsEach },
};
const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
const { memory } = clusterOf(props).components.authoritativeDns ?? {};

let api: LocalApiServer;
let relay: Meter;
let coredns: Running;

beforeAll(async () => {
  api = await LocalApiServer.start();
  relay = await new Meter(api.port).start();
  await api.must("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  await sixteenAtATime(size.services, async (i) => {
    await api.must("POST", `/api/v1/namespaces/${namespace}/services`, headless(i));
    await api.must("POST", slices, slice(i, 0));
  });
});

afterAll(async () => {
  await coredns?.stop();
  relay?.stop();
  await api?.stop();
});

it("a CoreDNS starts, rests, follows changes and outlives a restart of the API server within its memory", async () => {
  const { cert, key, authority } = api.files;
  const started = Date.now();
  coredns = await runCoreDNS(authoritativeCorefileOf(props), {
    api: `https://127.0.0.1:${relay.port}`,
    tls: [cert, key, authority],
    startSeconds: 120,
  });
  await until(
    "the last Service",
    60,
    async () => (await addressOf(size.services - 1)) === address(size.services - 1, 0),
  );
  const atStart = spent({ seconds: 0, received: 0 });
  print("start", { ...atStart, seconds: (Date.now() - started) / 1000 });

  const resting = await during(() => new Promise((resolve) => setTimeout(resolve, 20_000)));
  print("20 s at rest", resting);
  expect(resting.peak).toBeLessThan(mebi(memory?.limit));

  const changed = size.services / 10;
  print(
    `${changed * endpointsEach} endpoints change`,
    await during(async () => {
      await sixteenAtATime(changed, (i) => api.must("PUT", `${slices}/service-${i}`, slice(i, 1)));
      await until("the last change", 30, async () => (await addressOf(changed - 1)) === address(changed - 1, 1));
    }),
  );

  const propagated = await Promise.all([0, 1, 2, 3, 4].map((i) => propagation(`new-${i}`)));
  print("a new Service answers", { ms: propagated });
  // The bar of ClusterLoader2.
  expect(Math.max(...propagated)).toBeLessThan(10_000);

  const connected = await during(() => askOnConnections(size.nodes));
  print(`${size.nodes} caches ask over TCP, each on a connection of its own`, connected);
  expect(connected.peak).toBeLessThan(mebi(memory?.limit));

  const restarted = await during(async () => {
    await api.restart();
    await until("the API server's changes", 120, async () => (await propagation("after")) < 120_000);
  });
  print("a restart of the API server", restarted);
  expect(coredns.ended()).toBeUndefined();
  expect(restarted.peak).toBeLessThan(mebi(memory?.limit));
}, 900_000);

it("doctor and preflight read 5,000 nodes within 30 seconds and 300 MB", async () => {
  await sixteenAtATime(size.nodes, (i) => api.must("POST", "/api/v1/nodes", node(i)));
  const folder = mkdtempSync(join(tmpdir(), "scale-"));
  try {
    const { items } = await api.must("GET", "/api/v1/nodes");
    expect(items).toHaveLength(size.nodes);
    writeFileSync(join(folder, "nodes.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    for (const [command, ...args] of commandsIn(folder)) {
      const ran = await run(folder, [command, ...args]);
      print(command, ran);
      expect([command, ran.seconds < 30, ran.peak < 300]).toEqual([command, true, true]);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 900_000);

function print(what: string, figures: object): void {
  const rounded = Object.entries(figures).map(([name, value]) => [
    name,
    typeof value === "number" ? Math.round(value * 100) / 100 : value,
  ]);
  console.log(`${what}: ${JSON.stringify(Object.fromEntries(rounded))}`);
}

async function sixteenAtATime(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

function headless(i: number) {
  return {
    metadata: { name: `service-${i}`, labels: { app: `app-${i}` } },
    spec: { clusterIP: "None", selector: { app: `app-${i}` }, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
  };
}

/** The first address behind a Service. */
function address(i: number, generation: number): string {
  return `10.${100 + generation}.${i >> 8}.${i & 255}`;
}

/** As the controller writes it: the other endpoints stay. */
function slice(i: number, generation: number) {
  return {
    metadata: {
      name: `service-${i}`,
      labels: {
        app: `app-${i}`,
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
        "kubernetes.io/service-name": `service-${i}`,
      },
    },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
    endpoints: Array.from({ length: endpointsEach }, (_, j) => ({
      addresses: [j === 0 ? address(i, generation) : `10.${110 + j + generation * 20}.${i >> 8}.${i & 255}`],
      conditions: { ready: true, serving: true, terminating: false },
      nodeName: `node-${(i * endpointsEach + j) % size.nodes}`,
      targetRef: {
        kind: "Pod",
        namespace,
        name: `app-${i}-7d9f8b6c5d-${j}abcd`,
        uid: "0e5f1c1e-5b0f-4a57-9c56-9d1f6f3f0a11",
      },
    })),
  };
}

/** With as many images as a kubelet reports: these are most of a node's size. */
function node(i: number) {
  const images = Array.from({ length: 50 }, (_, j) => ({
    names: [`registry.example/image-${j}@sha256:${"0".repeat(64)}`, `registry.example/image-${j}:v1.${i}`],
    sizeBytes: 100_000_000 + j,
  }));
  return {
    metadata: { name: `node-${i}`, labels: { "kubernetes.io/os": "linux", "kubernetes.io/hostname": `node-${i}` } },
    status: { images },
  };
}

async function addressOf(i: number): Promise<string | undefined> {
  const found = await addresses({ name: `service-${i}.${namespace}.svc.cluster.local`, port: coredns.port }).catch(
    () => [],
  );
  return [found].flat().find((each) => each === address(i, 0) || each === address(i, 1));
}

/** Milliseconds from the creation of a Service to its answer. */
async function propagation(name: string): Promise<number> {
  const path = `/api/v1/namespaces/${namespace}/services`;
  const created = await api.must("POST", path, { metadata: { name }, spec: { ports: [{ port: 80 }] } });
  const { clusterIP } = created["spec"] as { clusterIP: string };
  const from = Date.now();
  const question = { name: `${name}.${namespace}.svc.cluster.local`, port: coredns.port };
  await until(`an answer for ${name}`, 120, async () => (await addresses(question).catch(() => "")) === clusterIP, 20);
  return Date.now() - from;
}

/** As caches do, which keep their connections for some seconds: all are open at once. */
async function askOnConnections(count: number): Promise<void> {
  const query = packet.streamEncode({
    type: "query",
    id: 1,
    questions: [{ type: "A", name: `service-0.${namespace}.svc.cluster.local` }],
  });
  const sockets: Socket[] = [];
  try {
    await sixteenAtATime(count, async () => {
      const socket = connect(coredns.port, "127.0.0.1");
      sockets.push(socket);
      socket.write(query);
      await once(socket, "data");
    });
    expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([]);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

interface Spent {
  /** MiB. */
  readonly resident: number;
  readonly peak: number;
  readonly cpuSeconds: number;
  /** MB from the API server. */
  readonly received: number;
}

function spent(before: { readonly seconds: number; readonly received: number }): Spent {
  const status = readFileSync(`/proc/${coredns.pid}/status`, "utf8");
  const kilobytes = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]);
  return {
    resident: kilobytes("VmRSS") / 1024,
    peak: kilobytes("VmHWM") / 1024,
    cpuSeconds: cpuSeconds() - before.seconds,
    received: (relay.received - before.received) / 1e6,
  };
}

async function during(work: () => Promise<unknown>): Promise<Spent & { readonly seconds: number }> {
  // Forgets the peak so far.
  writeFileSync(`/proc/${coredns.pid}/clear_refs`, "5");
  const before = { seconds: cpuSeconds(), received: relay.received };
  const from = Date.now();
  await work();
  return { ...spent(before), seconds: (Date.now() - from) / 1000 };
}

function cpuSeconds(): number {
  const fields = readFileSync(`/proc/${coredns.pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function mebi(quantity = "0"): number {
  return Number(parseQuantity(quantity)?.nanos ?? 0n) / 1e9 / 2 ** 20;
}

/** A repository with one cluster, and a kubeconfig; what is run there. */
function commandsIn(folder: string): [command: string, ...args: string[]][] {
  const { cert, key, authority } = api.files;
  mkdirSync(join(folder, "clusters"));
  writeFileSync(join(folder, "clusters/prod.yaml"), JSON.stringify(props));
  const server = `https://127.0.0.1:${api.port}`;
  writeFileSync(
    join(folder, "kubeconfig"),
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server, "certificate-authority": authority } }],
      users: [{ name: "u", user: { "client-certificate": cert, "client-key": key } }],
      contexts: [{ name: "prod", context: { cluster: "c", user: "u" } }],
      "current-context": "prod",
    }),
  );
  const measure = "process.on('exit', () => console.error(process.resourceUsage().maxRSS / 1024))";
  writeFileSync(join(folder, "measure.cjs"), measure);
  return [
    ["doctor", "prod"],
    ["preflight", "prod", "--nodes", "nodes.json"],
    ["diff", "--live", "prod", "--context", "prod"],
  ];
}

/** The command line as shipped. */
async function run(folder: string, args: readonly string[]): Promise<{ seconds: number; peak: number }> {
  const from = Date.now();
  const cli = join(repositoryRoot, "lib/cli/main.js");
  const child = spawn(process.execPath, ["--require", join(folder, "measure.cjs"), cli, ...args], {
    cwd: folder,
    env: {
      ...process.env,
      KUBECONFIG: join(folder, "kubeconfig"),
      PATH: [dirname(tool("kubernetes", "kubectl")), process.env["PATH"]].join(delimiter),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stdout.resume();
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  await new Promise((resolve) => child.once("close", resolve));
  const peak = Number(errors.trim().split("\n").at(-1));
  if (!Number.isFinite(peak)) throw new Error(errors);
  return { seconds: (Date.now() - from) / 1000, peak };
}
