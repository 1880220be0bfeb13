/**
 * What 1,000 tenants of 10 namespaces cost, compared with a cluster with the same Services and no tenants: synthesis,
 * the Corefile, CoreDNS's memory, and the time of an answer. All servers run at once and are asked in turn, by one
 * client that waits for each answer.
 */
import { execFileSync } from "node:child_process";
import dgram from "node:dgram";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import packet from "dns-packet";
import { stringify } from "yaml";
import { runCoreDNS, whyNoCoreDNS, type Running } from "../rig/coredns/coredns";
import { FakeApi } from "../rig/coredns/fake-api";
import { namespace, pod, service } from "../rig/coredns/objects";
import { reportFigure } from "../rig/figures/report.mjs";
import { repositoryRoot } from "../rig/repository";
import { authoritativeCorefileOf } from "../rig/coredns/corefile-of";
import { renderCorefile } from "../src/model/corefile/render";
import type { ClusterDnsProps } from "../src/model/props/cluster-dns";
import type { TenancyOptions, Tenant } from "../src/model/props/tenancy";

const tenantCount = 1000;
const namespacesEach = 10;
const rounds = 20;
const questionsARound = 400;

const tenantName = (i: number) => `team-${i}`;
const namespaceName = (i: number, j: number) => `${tenantName(i)}-app-${j}`;
const indexes = (count: number) => Array.from({ length: count }, (_, i) => i);
const listed: readonly Tenant[] = indexes(tenantCount).map((i) => ({
  name: `t${tenantName(i)}`,
  namespaces: indexes(namespacesEach).map((j) => namespaceName(i, j)),
}));
// `team-1-app-0` is namespace 0 of tenant `team-1-app`: no tenant's name is a prefix of another.
const prefixed: readonly Tenant[] = indexes(tenantCount).map((i) => ({ name: `${tenantName(i)}-app` }));

const clusters: { readonly [name: string]: TenancyOptions | undefined } = {
  "no tenants": undefined,
  listed: { tenants: listed },
  prefix: { membership: "prefix", tenants: prefixed },
  "listed, hard": { tenants: listed, isolation: "hard" },
  "prefix, hard": { membership: "prefix", tenants: prefixed, isolation: "hard" },
  "label, 4 tenants": {
    membership: "label",
    namespaceLabel: "tenant",
    tenants: indexes(4).map((i) => ({ name: `t${tenantName(i)}` })),
  },
};

async function main(): Promise<void> {
  if (whyNoCoreDNS) {
    console.log(`Tenants: not measured, ${whyNoCoreDNS}.`);
    return;
  }
  const api = new FakeApi();
  const url = await api.start();
  fill(api);
  const measured: Measured[] = [];
  try {
    for (const [name, tenancy] of Object.entries(clusters)) measured.push(await start(name, tenancy, url));
    for (let round = 0; round < rounds; round++) {
      for (const cluster of measured) {
        const count = round === 0 ? questionsARound / 2 : questionsARound;
        const plain = await ask(cluster, count, (i, j) => `web.${namespaceName(i, j)}.svc.cluster.local`);
        const tenant = cluster.tenancy ? await ask(cluster, count, (i, j) => tenantQuestion(cluster, i, j)) : [];
        // The first round warms up.
        if (round > 0) {
          cluster.plain.push(...plain);
          cluster.tenant.push(...tenant);
        }
      }
    }
    report(measured);
  } finally {
    for (const { coredns } of measured) await coredns.stop();
    await api.stop();
  }
}

interface Measured {
  readonly name: string;
  readonly tenancy: TenancyOptions | undefined;
  readonly coredns: Running;
  readonly corefileBytes: number;
  readonly synthMs: number;
  readonly plain: number[];
  readonly tenant: number[];
}

function fill(api: FakeApi): void {
  for (const i of indexes(tenantCount)) {
    for (const j of indexes(namespacesEach)) {
      const ns = namespaceName(i, j);
      const index = i * namespacesEach + j;
      api.put("namespaces", namespace(ns, { tenant: `t${tenantName(i)}` }));
      api.put("services", service(ns, "web", `10.${96 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`));
    }
    api.put("pods", pod(namespaceName(i, 0), "client", clientAddress(i)));
  }
}

/** A loopback address for each tenant's pod. */
function clientAddress(i: number): string {
  return `127.9.${i >> 8}.${i & 255}`;
}

async function start(name: string, tenancy: TenancyOptions | undefined, api: string): Promise<Measured> {
  const props: ClusterDnsProps = {
    clusterDNS: ["10.96.0.10"],
    kubeProxyMode: "iptables",
    kubernetesVersion: "1.34",
    nodeLocalDNS: { state: "disabled" },
    ...(tenancy ? { tenancy } : {}),
  };
  const corefile = authoritativeCorefileOf({ ...props, upstreamNameservers: ["127.0.0.254:9"] });
  const synthMs = synthesis(props);
  const coredns = await runCoreDNS(corefile, { api, startSeconds: 120 });
  const corefileBytes = Buffer.byteLength(renderCorefile(corefile));
  return { name, tenancy, coredns, corefileBytes, synthMs, plain: [], tenant: [] };
}

/** Wall time of the command line as shipped, from scratch: the median of five. */
function synthesis(props: ClusterDnsProps): number {
  const folder = mkdtempSync(join(tmpdir(), "bench-tenants-"));
  mkdirSync(join(folder, "clusters"));
  writeFileSync(join(folder, "clusters/one.yaml"), stringify(props));
  const times = indexes(5).map((i) => {
    const from = performance.now();
    const args = ["synth", "--clusters", join(folder, "clusters"), "--out", join(folder, `dist-${i}`)];
    execFileSync(process.execPath, [join(repositoryRoot, "lib/cli/main.js"), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    return performance.now() - from;
  });
  rmSync(folder, { recursive: true });
  return quantile(times, 0.5);
}

function tenantQuestion({ tenancy }: Measured, i: number, j: number): string {
  if (tenancy?.membership === "prefix") return `web.${j}.${tenantName(i)}-app.svc.cluster.local`;
  return `web.${namespaceName(i, j)}.t${tenantName(i)}.svc.cluster.local`;
}

/** Microseconds per answer; each must have an address. */
async function ask(
  { coredns, tenancy }: Measured,
  count: number,
  question: (i: number, j: number) => string,
): Promise<number[]> {
  const among = tenancy?.membership === "label" ? tenancy.tenants.length : tenantCount;
  const times: number[] = [];
  for (let n = 0; n < count;) {
    // One tenant's pod asks a few questions from one socket, as a real pod does.
    const i = Math.floor(Math.random() * among);
    const socket = dgram.createSocket("udp4");
    await new Promise<void>((resolve) => socket.bind(0, clientAddress(i), resolve));
    await new Promise<void>((resolve) => socket.connect(coredns.port, "127.0.0.1", resolve));
    for (const j of indexes(namespacesEach)) {
      const name = question(i, j);
      const query = packet.encode({
        type: "query",
        id: n & 0xffff,
        flags: packet.RECURSION_DESIRED,
        questions: [{ type: "A", name }],
      });
      const from = process.hrtime.bigint();
      const answer = await new Promise<Buffer>((resolve) => {
        socket.once("message", resolve);
        socket.send(query);
      });
      times.push(Number(process.hrtime.bigint() - from) / 1000);
      if (packet.decode(answer).answers?.length !== 1) throw new Error(`${name} has no address`);
      n += 1;
    }
    socket.close();
  }
  return times;
}

function report(measured: readonly Measured[]): void {
  const us = (times: readonly number[], share: number) => (times.length > 0 ? quantile(times, share).toFixed(0) : "");
  console.log(
    `${tenantCount} tenants of ${namespacesEach} namespaces, a Service in each; all servers at once, asked in turn, one question at a time.\n`,
  );
  console.log("| | synth, ms | Corefile, kB | memory, MB | plain name: p50, us | p99 | tenant name: p50, us | p99 |");
  console.log("|---|---|---|---|---|---|---|---|");
  const plainOfNone = measured.find(({ tenancy }) => tenancy === undefined)?.plain ?? [];
  for (const { name, synthMs, corefileBytes, coredns, plain, tenant } of measured) {
    const sizes = [synthMs.toFixed(0), (corefileBytes / 1000).toFixed(0), (coredns.memory() / 1e6).toFixed(0)];
    const times = [us(plain, 0.5), us(plain, 0.99), us(tenant, 0.5), us(tenant, 0.99)];
    console.log(`| ${[name, ...sizes, ...times].join(" | ")} |`);
    if (tenant.length === 0) continue;
    const value = quantile(tenant, 0.5) / quantile(plainOfNone, 0.5);
    reportFigure({ what: `a tenant's name, ${name}`, kind: "ratio", value, unit: "x a plain name without tenants" });
  }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
