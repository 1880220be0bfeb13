import { expect, onTestFinished, test } from "vitest";
import { addresses, answeredBy, Network } from "../../rig/kernel/network";
import { hasLink, hasRules, startNodeCache } from "../../rig/kernel/node-cache";
import { ask } from "./ask";

const { service, linkLocal } = addresses.IPv4;

// Runs only with a build of it (docs/development.md): here it makes its link itself, where test/kernel gives it a bridge.
test("upstream's node-cache makes a dummy link and rules of its own, and leaves neither when terminated", async () => {
  const network = await Network.create("iptables");
  onTestFinished(() => network.remove());
  await network.startClusterDNS();
  const nodeCache = await startNodeCache(network);
  expect(network.node.ip("-details link show dev nodelocaldns")).toContain(" dummy ");
  for (const from of [network.pod, network.node])
    expect(ask(from, [service, linkLocal])).toEqual(Array.from({ length: 4 }, () => answeredBy.cache.A));
  await nodeCache.terminate();
  expect([hasRules(network), hasLink(network)]).toEqual([false, false]);
  expect(ask(network.pod, [service])).toEqual([answeredBy.cluster.A, answeredBy.cluster.A]);
});
