import { afterAll, beforeAll, expect, it } from "vitest";
import { FakeCluster, fakeNode } from "../../../rig/kwok";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { sixteenAtATime } from "../lib/scale/measured";
import { apply, rolledOut } from "../lib/scale/rolled-out";
import { useApiServer } from "../lib/api-server";

// Kubernetes' own DaemonSet controller, and nodes of KWOK. With `minReadySeconds` beside `maxSurge`, four of five rollouts stood
// still (docs/scale.md).

const nodes = 20;
const surging = ["node-local-dns", "coredns"];
const described = (generation: number): ClusterDnsProps => ({
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "nftables",
  agentImage: "registry.example/agent:1",
  authoritativeDNS: { kind: "DaemonSet" },
  stubDomains: { "corp.example": [`10.1.2.${generation}`] },
});

const api = useApiServer();
let fake: FakeCluster | undefined;

beforeAll(() => sixteenAtATime(nodes, (i) => api().must("POST", "/api/v1/nodes", fakeNode(i))));
afterAll(() => fake?.stop());

it("each rollout of what surges ends by itself, with a ready pod on every node", async () => {
  // Old pods have gone after new ones became ready, and before `minReadySeconds` would be over.
  const cluster = (fake = await FakeCluster.start(api(), { start: 1, stop: 3 }));
  const rollTo = async (generation: number) => {
    await apply(api(), described(generation));
    const rollouts = await Promise.all(surging.map((name) => rolledOut(api(), cluster, name, nodes)));
    return rollouts.map(({ unavailable }) => unavailable);
  };
  await rollTo(1);
  const unavailable = [await rollTo(2), await rollTo(3), await rollTo(4)];
  expect(unavailable).toEqual(unavailable.map(() => [0, 0]));
}, 3_000_000);
