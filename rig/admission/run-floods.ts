// `npm run test:floods [-- MINUTES [NAME]]`: floods one webhook in every way, or in those of this name, for five
// minutes in all. Checks that it lives, answers others, and needs at most 80% of its container's memory.
import { tenancyOf } from "../../src/model/tenancy/membership";
import { flood, floods, podReview } from "./flood";
import { WebhookProcess } from "./webhook-process";

const limitBytes = 512 * 1024 * 1024;

async function main(): Promise<void> {
  // Half a minute for each. What it needs, it needs within ten seconds.
  const [, , minutes = "5", name = ""] = process.argv;
  const chosen = floods.filter((one) => one.name.includes(name));
  const webhook = await WebhookProcess.start({
    tenancy: tenancyOf({ tenants: [{ name: "baz", namespaces: ["bar"] }] }),
    pods: { clusterDomain: "cluster.local", nameservers: ["10.96.0.10"] },
  });
  let failed = false;
  for (const one of chosen) {
    const asking = { answered: 0, slowestMs: 0, on: true };
    const asked = ask(webhook, asking);
    const { sent, peakBytes, kernelBytes } = await flood(webhook, one, (Number(minutes) * 60) / chosen.length);
    asking.on = false;
    await asked;
    const isFine = peakBytes + kernelBytes <= 0.8 * limitBytes && asking.answered > 0;
    failed ||= !isFine;
    console.log(
      `${isFine ? "ok" : "FAILED"}  ${one.name}: ${sent} sent; others: ${asking.answered} answered, the slowest in ${Math.round(asking.slowestMs)} ms; peak ${megabytes(peakBytes)} MiB and the kernel's ${megabytes(kernelBytes)} of 512`,
    );
    if (peakBytes === Infinity) break;
  }
  await webhook.stop();
  process.exitCode = failed ? 1 : 0;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

/** As an API server would, from another address. */
async function ask(
  webhook: WebhookProcess,
  report: { answered: number; slowestMs: number; on: boolean },
): Promise<void> {
  while (report.on) {
    const startedAt = performance.now();
    const status = await webhook.post("/pods", podReview("{}")).then(
      (answer) => answer.status,
      () => 0,
    );
    report.slowestMs = Math.max(report.slowestMs, performance.now() - startedAt);
    if (status === 200) report.answered++;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

void main();
