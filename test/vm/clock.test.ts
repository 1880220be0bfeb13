import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { metric } from "../../rig/kernel/metrics";
import { cache, onNode } from "../../rig/kernel/scenario";
import { sleep } from "../../rig/until";
import { expectAllAnswered } from "../expect-lost";
import { patient } from "./patient";

// Only a guest's clock is the tests' to set: no namespace has one of its own.
const steps = [
  ["an hour forward", 3600],
  ["an hour back", -3600],
] as const;

test.each(steps)("the wall clock steps %s: the cache stays in use, and no query is lost", async (_what, seconds) => {
  await onNode({ thresholds: patient }, async ({ network, server }) => {
    const report = await network.load({ server, rate: 20, timeoutMs: 10_000 }, async () => {
      await sleep(5000);
      step(seconds);
      await sleep(15_000);
    });
    expectAllAnswered(report, cache);
    expect(metric(network, "unmeasured_total")).toBe(0);
    step(-seconds);
  });
});

test.each(steps)(
  "the wall clock steps %s: what a CoreDNS has cached expires when it would have",
  async (_what, seconds) => {
    await onNode({ watchdog: false }, async ({ network }) => {
      await network.startCoreDNS(network.dns, ["127.0.0.1"], caching);
      const ttl = () => Number(network.dns.run("dig", ["+noall", "+answer", "@127.0.0.1", "a.test"]).split(/\s+/)[1]);
      expect(ttl()).toBe(600);
      await sleep(2000);
      step(seconds);
      const left = ttl();
      step(-seconds);
      expect(left).toBeLessThan(600);
      expect(left).toBeGreaterThan(400);
    });
  },
);

function step(seconds: number): void {
  execFileSync("date", ["--set", `@${Math.round(Date.now() / 1000) + seconds}`]);
}

const caching = `.:53 {
    bind $LISTEN
    cache 3600
    forward . 127.0.0.1:5353
}
.:5353 {
    bind $LISTEN
    template IN A . {
        answer "{{ .Name }} 600 IN A 192.0.2.9"
    }
}
`;
