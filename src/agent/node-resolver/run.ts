import { setTimeout as sleep } from "node:timers/promises";
import { HostsFileError } from "../hosts-file/error";
import { serve } from "../http/server";
import { rateLimited, type Logger } from "../log";
import { createMetrics } from "./metrics";
import type { NodeResolverOptions } from "./options";
import { round, type Round } from "./round";

/** Keeps the addresses of services in the node's hosts file until SIGTERM, on which the lines stay. */
export async function runNodeResolver(options: NodeResolverOptions, log: Logger): Promise<void> {
  const metrics = createMetrics();
  const tenMinutes = 600_000;
  const complain = rateLimited(tenMinutes, (message, suppressed) =>
    log.warn(suppressed > 0 ? { suppressed } : {}, message),
  );
  let lastRound: number | undefined;

  // A round ends within ten seconds or so whatever the servers do; what takes this much longer does not end.
  const longest = 2 * options.interval * 1000 + 60_000;
  const started = performance.now();
  const http = await serve(
    { port: options.metricsPort },
    {
      metrics: () => metrics.text(),
      unhealthy: () =>
        performance.now() - (lastRound ?? started) > longest ? "no round has ended for too long" : undefined,
      unready: () => (lastRound === undefined ? "the first round has not ended yet" : undefined),
    },
  );

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      log.info("stopping; the lines stay");
      process.exit(0);
    });
  }
  log.info(
    { services: options.services, hostsFile: options.hostsFile.path, http: http.address() },
    "keeping services in the hosts file",
  );

  for (let resolved = false; ;) {
    const result = await round(options);
    lastRound = performance.now();
    metrics.observe(result);
    report(result);
    resolved ||= result.hostsFile !== "untouched";
    // A node that has just started pulls images: it does not wait for a minute because its DNS was a second late.
    await sleep((resolved ? options.interval : Math.min(options.interval, 5)) * 1000);
  }

  function report({ lookupFailures, hostsFile, services }: Round): void {
    for (const failure of lookupFailures) complain(failure);
    if (hostsFile === "replaced")
      log.info({ services: services.map(({ service, answers }) => ({ service, ...answers })) }, "hosts file replaced");
    else if (hostsFile === "untouched") complain("no service resolves; the hosts file stays as it is");
    else if (hostsFile instanceof HostsFileError) complain(hostsFile.message);
  }
}
