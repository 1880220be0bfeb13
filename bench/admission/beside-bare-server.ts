import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { serverName, WebhookProcess } from "../../rig/admission/webhook-process";
import { reportFigure } from "../../rig/figures/report.mjs";
import { freePort } from "../../rig/free-port";
import { repositoryRoot } from "../../rig/repository";
import { until } from "../../rig/until";
import { tenancyOf } from "../../src/model/tenancy/membership";
import { load, percentiles } from "./load";
import { tenancy, typicalPod } from "./pod";

const rates = [200, 1000];
const seconds = 20;
const turns = 5;
const warmUpSeconds = 3;
/** Over the bare server, at the 99th percentile. */
const goalMs = 2;

/** How long the API server waits for the webhook over TLS 1.3, and for a bare https server that parses and answers JSON the same way. */
export async function besideBareServer(): Promise<void> {
  const pods = { clusterDomain: "cluster.local", nameservers: ["10.96.0.10"] };
  const webhook = await WebhookProcess.start({ tenancy: tenancyOf(tenancy), pods });
  const port = await freePort();
  const script = join(repositoryRoot, "bench/admission/bare-server.mjs");
  const bareServer = spawn(process.execPath, [script, webhook.folder, String(port)], { stdio: "inherit" });
  try {
    const askWebhook = reviewer(webhook.port, "/pods", webhook.authority);
    const askBare = reviewer(port, "/", webhook.authority);
    await until("the bare server", 10, () => askBare().then(() => true));
    console.log(
      `\nAdmission of a pod over TLS 1.3, ${seconds} s. Goal: p99 at most ${goalMs} ms more than a bare server.\n\n` +
        "| requests a second | webhook: p50, ms | p99 | bare https server: p50, ms | p99 |\n|---|---|---|---|---|",
    );
    for (const rate of rates) await compare(rate, askWebhook, askBare);
  } finally {
    const ended = once(bareServer, "exit");
    bareServer.kill();
    await Promise.all([ended, webhook.stop()]);
  }
}

type Ask = () => Promise<void>;

async function compare(rate: number, askWebhook: Ask, askBare: Ask): Promise<void> {
  const times = { webhook: [] as number[], bare: [] as number[] };
  await load(askWebhook, rate, warmUpSeconds);
  await load(askBare, rate, warmUpSeconds);
  // In turn, so that other load on the machine affects both.
  for (let turn = 0; turn < turns; turn++) {
    times.webhook.push(...(await load(askWebhook, rate, seconds / turns)));
    times.bare.push(...(await load(askBare, rate, seconds / turns)));
  }
  const [webhook, bare] = [percentiles(times.webhook), percentiles(times.bare)];
  const cells = [webhook.p50, webhook.p99, bare.p50, bare.p99].map((ms) => ms.toFixed(2));
  console.log(`| ${rate} | ${cells.join(" | ")} |`);
  for (const share of ["p50", "p99"] as const)
    reportFigure({
      what: `admission of a pod at ${rate}/s, ${share}`,
      kind: "ratio",
      value: webhook[share] / bare[share],
      unit: "x a bare https server",
    });
}

/** Sends the review of one pod each time. Keeps up to 25 connections, as the API server's client does. */
function reviewer(port: number, path: string, ca: string | undefined): Ask {
  const agent = new Agent({ keepAlive: true, maxSockets: 25, ca, servername: serverName });
  let count = 0;
  return () =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(review(count++));
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const sent = request({ host: "127.0.0.1", port, path, method: "POST", agent, headers }, (response) => {
        response.resume();
        response.on("end", () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`status ${response.statusCode}`));
        });
      });
      sent.on("error", reject);
      sent.end(body);
    });
}

function review(i: number): object {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: `uid-${i}`,
      operation: "CREATE",
      kind: { group: "", version: "v1", kind: "Pod" },
      resource: { group: "", version: "v1", resource: "pods" },
      namespace: `n${i % tenancy.tenants.length}`,
      userInfo: { username: "system:serviceaccount:kube-system:replicaset-controller" },
      object: typicalPod,
    },
  };
}
