import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { WebhookConfig } from "../../model/admission/webhook/webhook-config";
import { asPlace, type Node } from "../../model/placement/node";
import { serve } from "../http/server";
import { KubeClient, inClusterConnection } from "../kube/client";
import { Mirror } from "../kube/mirror";
import { mostPerMinute, rateLimited, type Logger } from "../log";
import { untilTerminated } from "../shutdown";
import { decisions } from "./decisions";
import { LongReviews } from "./long-reviews";
import { createMetrics } from "./metrics";
import { ServedCertificate } from "./served-certificate";
import { WebhookServer, type Answer, type KeyPair } from "./server";

interface WebhookTiming {
  /** Time between checks of the certificate. */
  readonly roundMs: number;
  /** Time to the next check after a failed one. */
  readonly retryMs: number;
  /** Time from SIGTERM until no EndpointSlice lists this pod any longer. */
  readonly drainMs: number;
}

const defaultTiming: WebhookTiming = { roundMs: 60_000, retryMs: 5_000, drainMs: 5_000 };

export async function runWebhook(config: WebhookConfig, log: Logger, timing = defaultTiming): Promise<void> {
  const { certificates, placementGuard } = config;
  const stop = new AbortController();
  const needsApi = certificates.kind === "self-managed" || placementGuard !== undefined;
  const client = needsApi ? new KubeClient(inClusterConnection()) : undefined;
  const nodes =
    placementGuard && client
      ? watchNodes(client, stop.signal, (error) => log.warn(`nodes: ${error.message}`))
      : undefined;
  const metrics = createMetrics(() => server.connections.size, nodes && (() => nodes.current()?.size));

  const decide = decisions(config, () => {
    const known = nodes?.current();
    return known && [...known.values()];
  });
  const longReviews = new LongReviews(config);
  const server = new WebhookServer({ decide, longReviews, onAnswer: reporter(log, metrics), onClose: metrics.closed });

  let terminating = false;
  const served = new ServedCertificate((pair, certificate) => {
    server.use(pair);
    metrics.serves(certificate);
    log.info({ validTo: certificate.validTo, issuer: certificate.issuer }, "serving a new certificate");
  });
  const probes = serve(
    { port: config.probePort },
    {
      metrics: metrics.text,
      unhealthy: () => undefined,
      unready() {
        if (terminating) return "is being stopped";
        return server.connections.full ? "cannot take more connections" : served.fault();
      },
    },
    rateLimited(log, "warn", 60_000),
  );
  const terminated = untilTerminated();
  const rounds = keepCertificate(config, client, served, timing, stop.signal, (error) => {
    metrics.certificateRound(error !== undefined);
    if (error) log.error(`certificate: ${error.message}`);
  });
  await server.listen(config.port);
  log.info({ port: config.port, paths: Object.keys(decide) }, "listening");

  await terminated;
  terminating = true;
  log.info("stopping once no new requests can arrive");
  await sleep(timing.drainMs);
  stop.abort();
  await Promise.all([server.close(), rounds, new Promise((resolve) => probes.close(resolve))]);
  await longReviews.close();
  client?.close();
}

async function keepCertificate(
  { certificates }: WebhookConfig,
  client: KubeClient | undefined,
  served: ServedCertificate,
  { roundMs, retryMs }: WebhookTiming,
  signal: AbortSignal,
  onRound: (error?: Error) => void,
): Promise<void> {
  while (!signal.aborted) {
    let waitMs = roundMs;
    try {
      if (certificates.kind === "files") served.use(readCertificateFiles(certificates.folder));
      else if (client) {
        // Loaded only if we issue the certificates ourselves.
        const { synchronize } = await import("./certificates/self-managed.js");
        const { current, published, now } = await synchronize(client, certificates, new Date());
        served.use(current, now);
        if (!published) waitMs = retryMs;
      }
      onRound();
    } catch (error) {
      onRound(error as Error);
      waitMs = retryMs;
    }
    // Replicas that started together should not keep asking together.
    await sleep(waitMs * (0.9 + Math.random() * 0.2), undefined, { signal }).catch(() => undefined);
  }
}

function reporter(log: Logger, metrics: ReturnType<typeof createMetrics>): (answer: Answer) => void {
  // Anyone who can reach the port can send any amount of nonsense, or of requests that are denied. The metrics count
  // them all.
  const [deniesMore, complainsMore] = [mostPerMinute(60), mostPerMinute(30)];
  return (answer) => {
    metrics.answered(answer);
    const { path, status, verdict, about, error } = answer;
    if (error) {
      if (complainsMore()) log.warn(`${path}: ${status} ${error.message}`.slice(0, 500));
    } else if (!verdict || verdict.allowed) log.debug({ path, ...about }, "allowed");
    else if (deniesMore()) log.info({ path, ...about }, `denied: ${verdict.message}`.slice(0, 2000));
  };
}

function watchNodes(client: KubeClient, signal: AbortSignal, onError: (error: Error) => void): Mirror<Node> {
  const keep = (object: object) => asPlace(object as Parameters<typeof asPlace>[0]);
  const mirror = new Mirror(client, { path: "/api/v1/nodes", keep, signal, onError });
  void mirror.run();
  return mirror;
}

/** The kubelet fills the folder. @throws Error if a file is missing, or key and certificate do not match. */
function readCertificateFiles(folder: string): KeyPair {
  const certificate = readFileSync(join(folder, "tls.crt"), "utf8");
  const key = readFileSync(join(folder, "tls.key"), "utf8");
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    throw new Error(`${folder}: tls.key is not the key of tls.crt`);
  return { certificate, key };
}
