import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Answer } from "./server";

/** What the webhook counts. */
export class WebhookMetrics {
  readonly registry = new Registry();
  private readonly requests = new Counter({
    name: "cluster_dns_webhook_requests_total",
    help: "Questions of the API server, by path and answer: unchanged, patched, denied, or error with its HTTP status.",
    labelNames: ["path", "answer"],
    registers: [this.registry],
  });
  private readonly seconds = new Histogram({
    name: "cluster_dns_webhook_request_duration_seconds",
    help: "From the head of a request to its answer.",
    labelNames: ["path"],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 3],
    registers: [this.registry],
  });
  private readonly expiry = new Gauge({
    name: "cluster_dns_webhook_certificate_expiry_timestamp_seconds",
    help: "When the certificate that is served ends.",
    registers: [this.registry],
  });
  private readonly certificateErrors = new Counter({
    name: "cluster_dns_webhook_certificate_errors_total",
    help: "Rounds in which certificate or caBundle could not be brought up to date.",
    registers: [this.registry],
  });

  /** @param nodes How many nodes the placement guard knows; undefined when it cannot know. */
  constructor(nodes?: () => number | undefined) {
    if (!nodes) return;
    new Gauge({
      name: "cluster_dns_webhook_known_nodes",
      help: "Nodes that the placement guard decides by; -1 while it does not know them, and allows everything.",
      registers: [this.registry],
      collect() {
        this.set(nodes() ?? -1);
      },
    });
  }

  answered({ path, status, verdict, seconds }: Answer): void {
    this.requests.inc({ path, answer: answerOf(status, verdict) });
    this.seconds.observe({ path }, seconds);
  }

  serves(notAfter: Date): void {
    this.expiry.set(notAfter.getTime() / 1000);
  }

  certificateFailed(): void {
    this.certificateErrors.inc();
  }
}

function answerOf(status: number, verdict: Answer["verdict"]): string {
  if (!verdict) return `error_${status}`;
  if (!verdict.allowed) return "denied";
  return verdict.patch && verdict.patch.length > 0 ? "patched" : "unchanged";
}
