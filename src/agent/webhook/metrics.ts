import type { X509Certificate } from "node:crypto";
import { createRegistry } from "../registry";
import type { CloseReason } from "./connections";
import type { Answer } from "./server";

/** @param knownNodes How many nodes the placement guard knows; undefined if it cannot know. */
export function createMetrics(openConnections: () => number, knownNodes?: () => number | undefined) {
  const { counter, gauge, histogram, text } = createRegistry("cluster_dns_webhook");
  const requests = counter(
    "requests_total",
    "Requests of the API server, by path and answer: unchanged, patched, denied, or error with its HTTP status.",
    ["path", "answer"],
  );
  const seconds = histogram(
    "request_duration_seconds",
    "Time from the head of a request to its answer.",
    ["path"],
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 3],
  );
  const expiry = gauge("certificate_expiry_timestamp_seconds", "When the serving certificate expires.");
  const certificateErrors = counter(
    "certificate_errors_total",
    "Rounds that failed to bring the certificate or a caBundle up to date.",
  );
  const issuedBy = gauge("certificate_issuer", "1 for the authority that signed the serving certificate.", ["issuer"]);
  const failing = gauge("certificate_failing", "Whether the last round failed: 1 or 0.");
  const connections = gauge("connections", "Open connections.");
  const closed = counter(
    "connections_closed_total",
    "Connections closed by the webhook: overdue, idlest or heaviest (in favor of others), or refused immediately.",
    ["reason"],
  );
  const nodes =
    knownNodes &&
    gauge("known_nodes", "Nodes that the placement guard knows; -1 while it does not know them and allows everything.");

  return {
    answered({ path, status, verdict, seconds: took }: Answer): void {
      requests.inc({ path, answer: answerOf(status, verdict) });
      seconds.observe({ path }, took);
    },

    serves({ validTo, issuer }: Pick<X509Certificate, "validTo" | "issuer">): void {
      expiry.set(new Date(validTo).getTime() / 1000);
      issuedBy.reset();
      issuedBy.set({ issuer }, 1);
    },

    certificateRound(failed: boolean): void {
      failing.set(failed ? 1 : 0);
      if (failed) certificateErrors.inc();
    },

    closed(reason: CloseReason): void {
      closed.inc({ reason });
    },

    text(): Promise<string> {
      connections.set(openConnections());
      nodes?.set(knownNodes?.() ?? -1);
      return text();
    },
  };
}

function answerOf(status: number, verdict: Answer["verdict"]): string {
  if (!verdict) return `error_${status}`;
  if (!verdict.allowed) return "denied";
  return verdict.patch && verdict.patch.length > 0 ? "patched" : "unchanged";
}
