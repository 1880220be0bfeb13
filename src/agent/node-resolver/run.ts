import { setTimeout as sleep } from "node:timers/promises";
import { HostsFileError } from "../hosts-file/error";
import { serve } from "../http/server";
import { rateLimited, type Logger } from "../log";
import { untilTerminated } from "../shutdown";
import { createMetrics } from "./metrics";
import type { NodeResolverOptions } from "./options";
import { round, type Round } from "./round";

/** Keeps the addresses of services in the node's hosts file until SIGTERM, which leaves the lines in place. */
export async function runNodeResolver(options: NodeResolverOptions, log: Logger): Promise<void> {
  const { services, intervalSeconds, hostsFile } = options;
  const metrics = createMetrics();
  const complain = rateLimited(log, "warn", 600_000);
  const startedAt = performance.now();
  let lastRoundAt: number | undefined;

  // Whatever the servers do, a round ends within about ten seconds; one that takes this much longer hangs.
  const maxRoundMs = 2 * intervalSeconds * 1000 + 60_000;
  const endpoints = {
    metrics: metrics.text,
    unhealthy: () =>
      performance.now() - (lastRoundAt ?? startedAt) > maxRoundMs ? "no round has ended in time" : undefined,
    unready: () => (lastRoundAt === undefined ? "the first round has not ended yet" : undefined),
  };
  serve({ port: options.healthPort, address: "127.0.0.1" }, endpoints, complain);
  const http = serve(options.metrics, endpoints, complain);
  http.once("listening", () => log.info({ http: http.address() }, "serving metrics"));
  void untilTerminated().then(() => {
    log.info("stopping; the lines stay");
    process.exit(0);
  });
  log.info({ services, hostsFile: hostsFile.path }, "keeping services in the hosts file");

  for (let resolved = false; ;) {
    const result = await round(options);
    lastRoundAt = performance.now();
    metrics.observe(result);
    report(result);
    resolved ||= result.hostsFile !== "untouched";
    // A new node pulls images at once: it must not wait a minute because its DNS was a second late.
    await sleep((resolved ? intervalSeconds : Math.min(intervalSeconds, 5)) * 1000);
  }

  function report(result: Round): void {
    for (const failure of result.lookupFailures) complain(failure);
    if (result.hostsFile === "replaced")
      log.info(
        { services: result.services.map(({ service, answers }) => ({ service, ...answers })) },
        "hosts file replaced",
      );
    else if (result.hostsFile === "untouched") complain("no service resolves; the hosts file stays unchanged");
    else if (result.hostsFile instanceof HostsFileError) complain(result.hostsFile.message);
  }
}
