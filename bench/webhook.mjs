// `npm run bench`: how long the API server waits for the webhook, at 200 and 1,000 requests a second over TLS 1.3, and for a bare
// https server that parses and answers JSON the same way. Both are separate processes; requests start on schedule,
// whether or not earlier ones are answered.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Agent, createServer, request } from "node:https";
import { createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { reportFigure } from "../rig/figures/report.mjs";

const here = fileURLToPath(import.meta.url);
const root = join(dirname(here), "..");
const [role, ...args] = process.argv.slice(2);
const rates = [200, 1000];
const seconds = 20;
const turns = 5;
const warmUpSeconds = 3;
/** Over the bare server, at the 99th percentile. */
const goalMs = 2;
const serverName = "cluster-dns-webhook.kube-system.svc";

if (role === "bare") bareServer(args[0], Number(args[1]));
else await main();

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "cluster-dns-bench-"));
  const options = {
    outdir: folder,
    bundle: true,
    platform: "node",
    target: "node20",
    absWorkingDir: root,
    logLevel: "error",
  };
  await build({
    ...options,
    entryPoints: { agent: "src/agent/main.ts", issue: "src/agent/webhook/certificates/issue.ts" },
  });
  const { issue } = createRequire(here)(join(folder, "issue.js"));
  const [port, probePort, barePort] = await Promise.all([freePort(), freePort(), freePort()]);
  const { authority, certificate, key } = await issue([serverName], new Date());
  writeFileSync(join(folder, "tls.crt"), certificate);
  writeFileSync(join(folder, "tls.key"), key);
  const config = {
    version: 1,
    port,
    probePort,
    certificates: { kind: "files", folder },
    tenancy: {
      membership: "listed",
      isolation: "open",
      tenants: Array.from({ length: 100 }, (_, i) => ({ name: `t${i}`, namespaces: [`n${i}`] })),
    },
    pods: { clusterDomain: "cluster.local", nameservers: ["10.96.0.10"] },
  };
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  const children = [
    spawn(process.execPath, [join(folder, "agent.js"), "webhook", "--config", join(folder, "config.json")], {
      stdio: ["ignore", "ignore", "inherit"],
    }),
    spawn(process.execPath, [here, "bare", folder, String(barePort)], { stdio: ["ignore", "ignore", "inherit"] }),
  ];
  try {
    const webhook = client(port, authority, "/pods");
    const bare = client(barePort, authority, "/");
    await Promise.all([answers(webhook), answers(bare)]);
    console.log(
      `\nAdmission of a pod over TLS 1.3, ${seconds} s. Goal: p99 at most ${goalMs} ms more than a bare server.\n`,
    );
    console.log(
      "| requests a second | webhook: p50, ms | p99 | bare https server: p50, ms | p99 |\n|---|---|---|---|---|",
    );
    for (const rate of rates) await compare(rate, webhook, bare);
  } finally {
    for (const child of children) child.kill();
    await Promise.all(
      children.map((child) => (child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined)),
    );
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(rate, webhook, bare) {
  await load(webhook, rate, warmUpSeconds);
  await load(bare, rate, warmUpSeconds);
  const times = { webhook: [], bare: [] };
  // In turn, so that other load on the machine affects both.
  for (let turn = 0; turn < turns; turn++) {
    times.webhook.push(...(await load(webhook, rate, seconds / turns)));
    times.bare.push(...(await load(bare, rate, seconds / turns)));
  }
  const [ofWebhook, ofBare] = [percentiles(times.webhook), percentiles(times.bare)];
  console.log(`| ${rate} | ${ofWebhook.p50} | ${ofWebhook.p99} | ${ofBare.p50} | ${ofBare.p99} |`);
  for (const share of ["p50", "p99"])
    reportFigure({
      what: `admission of a pod at ${rate}/s, ${share}`,
      kind: "ratio",
      value: ofWebhook[share] / ofBare[share],
      unit: "x a bare https server",
    });
}

/**
 * Sends the review of one pod; resolves to the time in milliseconds. Keeps up to 25 connections, as the API server's
 * client does.
 */
function client(port, ca, path) {
  const agent = new Agent({ keepAlive: true, maxSockets: 25, ca, servername: serverName });
  let count = 0;
  return () =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(review(count++));
      const started = process.hrtime.bigint();
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const sent = request({ host: "127.0.0.1", port, path, method: "POST", agent, headers }, (response) => {
        response.resume();
        response.on("end", () => {
          if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
          else resolve(Number(process.hrtime.bigint() - started) / 1e6);
        });
      });
      sent.on("error", reject);
      sent.end(body);
    });
}

/** The review of a typical pod: two containers, some environment, some volumes; about 5 KB. */
function review(i) {
  const container = (name) => ({
    name,
    image: `registry.example/team/${name}:1.2.3`,
    env: Array.from({ length: 20 }, (_, n) => ({ name: `VARIABLE_${n}`, value: `value of variable ${n}` })),
    ports: [{ containerPort: 8080, protocol: "TCP" }],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    volumeMounts: [{ name: "data", mountPath: "/data" }],
  });
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { generateName: "web-", labels: { app: "web" }, annotations: { note: "x".repeat(500) } },
    spec: {
      dnsPolicy: "ClusterFirst",
      containers: [container("web"), container("proxy")],
      volumes: [{ name: "data", emptyDir: {} }],
    },
  };
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: `uid-${i}`,
      operation: "CREATE",
      kind: { group: "", version: "v1", kind: "Pod" },
      resource: { group: "", version: "v1", resource: "pods" },
      namespace: `n${i % 100}`,
      userInfo: { username: "system:serviceaccount:kube-system:replicaset-controller" },
      object,
    },
  };
}

async function load(ask, rate, duration) {
  const pending = [];
  const start = performance.now();
  for (let i = 0; i < rate * duration; i++) {
    const wait = start + (i * 1000) / rate - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    pending.push(ask());
  }
  return Promise.all(pending);
}

async function answers(ask) {
  for (let i = 0; i < 100; i++) {
    try {
      return await ask();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error("the server does not answer");
}

function percentiles(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(2);
  return { p50: at(0.5), p99: at(0.99) };
}

function bareServer(folder, port) {
  const cert = readFileSync(join(folder, "tls.crt"));
  const key = readFileSync(join(folder, "tls.key"));
  const server = createServer(
    { cert, key, minVersion: "TLSv1.3", keepAliveTimeout: 100_000 },
    async (incoming, response) => {
      const chunks = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const { request: asked } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ response: { uid: asked.uid, allowed: true } }));
    },
  );
  server.listen(port, "127.0.0.1");
}

async function freePort() {
  const server = createTcpServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
