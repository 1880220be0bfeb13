import { expect, it } from "vitest";
import { clusterOf } from "../../../src/model/cluster/cluster";

// Which components each mode, state and engine has: test/rows.
it("rules outlive the cache while running pods ask its address, even for those who want no watchdog", () => {
  const nodeLocalDNS = { state: "draining", watchdog: false } as const;
  const cluster = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "agent:1" } as const;
  const { components } = clusterOf({ ...cluster, nodeLocalDNS });
  const named = Object.entries(components).flatMap(([name, settings]) => (settings ? [name] : []));
  expect(named).toEqual(["authoritativeDns", "watchdog"]);
});
