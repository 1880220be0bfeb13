import { expect, it } from "vitest";
import { sleep } from "../../../../rig/until";
import { expectLostAtMost } from "../../../expect-lost";
import { ledToCache } from "../../lib/node-cache";
import { deleted } from "./eviction";
import { cacheApp, underLoad, untilReplaced, watchdogApp } from "./under-load";

// CoreDNS closes a socket that it has stopped reading only after its last answer: whoever asks meanwhile would be lost.
const r = underLoad({ kubeProxyMode: "iptables", interception: "service-ip" });

/** On the nodes' network, where nobody has this address. */
const stubDomains = { "silent.test": ["172.30.0.99"] };

it("a cache that is stopped while it waits for a silent server leaves its node answers", async () => {
  await r.commit(r.objects({}, { stubDomains }));
  await ledToCache(r.node());
  const client = await r.cluster().pod("client");
  const old = await r.podOf(cacheApp);
  let isOver = false;
  async function askSilentServer(): Promise<void> {
    for (let i = 0; !isOver; i++) {
      for (const letter of "abcd")
        void client.attempt(["dig", `@${r.server}`, "+tries=1", "+time=5", `${letter}${i}.silent.test`]);
      await sleep(500);
    }
  }
  const report = await r.during("pod deleted, a server silent", async () => {
    const asking = askSilentServer();
    await deleted(r, old);
    await untilReplaced(r, cacheApp, old);
    await sleep(9000);
    isOver = true;
    await asking;
  });
  // Two seconds of a thousand queries, if they still went to it.
  expectLostAtMost(report, { lost: 25 });
  await ledToCache(r.node());
  const { metadata } = await r.podOf(watchdogApp);
  const log = await r.cluster().kubectl.run(["logs", metadata.name, "-n", "kube-system"]);
  expect(log).toContain("a cache stops");
});
