import { X509Certificate } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { WebhookConfig } from "../../model/admission/webhook/webhook-config";
import { serve } from "../http/server";
import { KubeClient } from "../kube/client";
import { inClusterConnection } from "../kube/in-cluster";
import { rateLimited, type Logger } from "../log";
import { untilTerminated } from "../shutdown";
import { readCertificateFiles } from "./certificates/files";
import { decisions } from "./decisions";
import { createMetrics } from "./metrics";
import { watchNodes } from "./nodes";
import { WebhookServer, type Answer, type KeyPair } from "./server";

interface WebhookTiming {
  /** Between looks at the certificate. */
  readonly roundMs: number;
  /** After a failed one. */
  readonly retryMs: number;
  /** From SIGTERM until no endpoint slice names this pod any more. */
  readonly drainMs: number;
}

const defaultTiming: WebhookTiming = { roundMs: 60_000, retryMs: 5_000, drainMs: 5_000 };

/** Serves until SIGTERM. */
export async function runWebhook(
  config: WebhookConfig,
  log: Logger,
  timing: WebhookTiming = defaultTiming,
): Promise<void> {
  const { certificates, placementGuard } = config;
  const stop = new AbortController();
  const needsApi = certificates.kind === "self-managed" || placementGuard !== undefined;
  const client = needsApi ? new KubeClient(inClusterConnection()) : undefined;
  const nodes =
    placementGuard && client
      ? watchNodes(client, stop.signal, (error) => log.warn(`nodes: ${error.message}`))
      : undefined;
  const metrics = createMetrics(nodes && (() => nodes.current()?.size));

  const decide = decisions(config, () => {
    const known = nodes?.current();
    return known && [...known.values()];
  });
  const report = reporter(log);
  const server = new WebhookServer({
    decide,
    onAnswer(answer) {
      metrics.answered(answer);
      report(answer);
    },
  });

  let serving: X509Certificate | undefined;
  let terminating = false;
  const use = (pair: KeyPair) => {
    const certificate = new X509Certificate(pair.certificate);
    if (serving?.toString() === certificate.toString()) return;
    server.use(pair);
    serving = certificate;
    metrics.serves(new Date(certificate.validTo));
    log.info({ validTo: certificate.validTo, issuer: certificate.issuer }, "serves with a new certificate");
  };

  const probes = serve(
    { port: config.probePort },
    {
      metrics: metrics.text,
      unhealthy: () => undefined,
      unready() {
        if (terminating) return "is being stopped";
        if (!serving) return "has no certificate yet";
        return new Date(serving.validTo).getTime() > Date.now()
          ? undefined
          : `its certificate ended ${serving.validTo}`;
      },
    },
    rateLimited(log, "warn", 60_000),
  );
  const terminated = untilTerminated();
  const rounds = keepCertificate(config, client, use, timing, stop.signal, (error) => {
    metrics.certificateFailed();
    log.error(`certificate: ${error.message}`);
  });
  await server.listen(config.port);
  log.info({ port: config.port, paths: Object.keys(decide) }, "listening");

  await terminated;
  terminating = true;
  log.info("stopping when no new requests can come");
  await sleep(timing.drainMs);
  stop.abort();
  await Promise.all([server.close(), rounds, new Promise((resolve) => probes.close(resolve))]);
  client?.close();
}

async function keepCertificate(
  { certificates }: WebhookConfig,
  client: KubeClient | undefined,
  use: (pair: KeyPair) => void,
  { roundMs, retryMs }: WebhookTiming,
  signal: AbortSignal,
  onError: (error: Error) => void,
): Promise<void> {
  while (!signal.aborted) {
    let waitMs = roundMs;
    try {
      if (certificates.kind === "files") use(readCertificateFiles(certificates.folder));
      else if (client) {
        // Loaded only where we make the certificates ourselves.
        const { synchronize } = await import("./certificates/self-managed.js");
        const { current, published } = await synchronize(client, certificates, new Date());
        use(current);
        if (!published) waitMs = retryMs;
      }
    } catch (error) {
      onError(error as Error);
      waitMs = retryMs;
    }
    // Replicas that started together do not keep asking together.
    await sleep(waitMs * (0.9 + Math.random() * 0.2), undefined, { signal }).catch(() => undefined);
  }
}

function reporter(log: Logger): (answer: Answer) => void {
  // Anything that reaches the port can send nonsense, which must not fill the log.
  const complain = rateLimited(log, "warn", 10_000);
  return ({ path, status, verdict, request, error }) => {
    if (error) return complain(`${path}: ${status} ${error.message}`);
    const { uid, operation, namespace, name, userInfo } = request ?? {};
    const about = { path, uid, operation, namespace, name, user: userInfo?.username };
    if (verdict && !verdict.allowed) log.info(about, `denied: ${verdict.message}`);
    else log.debug(about, "allowed");
  };
}
