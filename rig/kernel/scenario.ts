import type { ChildProcess } from "node:child_process";
import type { AgentConfig } from "../../src/model/agent-config/agent-config";
import { agentConfig, listenAddresses, runAgent, startWatchdog, type ConfigChange } from "./agent";
import { ready } from "./metrics";
import { addresses, answeredBy, Network, type Family } from "./network";

export const cache = answeredBy.cache.A;
export const cluster = answeredBy.cluster.A;

export interface Setting extends Omit<ConfigChange, "kubeProxyMode"> {
  readonly kubeProxyMode?: "iptables" | "nftables";
  readonly family?: Family;
  /** The iptables backend that kube-proxy uses on the node. */
  readonly backend?: "legacy" | "nft";
}

/**
 * A node with everything running: cluster DNS, cache, and a watchdog that has probed both listeners and turned them on.
 */
export class Scenario {
  private constructor(
    readonly network: Network,
    readonly config: AgentConfig,
    readonly family: Family,
  ) {}

  clusterDNS!: ChildProcess;
  cache!: ChildProcess;
  /** How long the cache took to exit after SIGKILL. */
  endedMs = 0;
  watchdog!: ReturnType<typeof startWatchdog>;

  static async create({
    family = "IPv4",
    kubeProxyMode = "iptables",
    backend,
    ...overrides
  }: Setting = {}): Promise<Scenario> {
    const network = await Network.create(kubeProxyMode, [family], backend);
    const scenario = new Scenario(network, agentConfig([family], { ...overrides, kubeProxyMode }), family);
    try {
      scenario.clusterDNS = await network.startClusterDNS();
      runAgent(network, "node-setup", scenario.config);
      scenario.cache = await scenario.startCache();
      if (scenario.config.watchdog) await scenario.startWatchdog();
      return scenario;
    } catch (error) {
      await network.remove();
      throw error;
    }
  }

  /** The server in pods' resolv.conf. */
  get server(): string {
    const { service, linkLocal } = addresses[this.family];
    return this.config.interception === "service-ip" ? service : linkLocal;
  }

  startCache(): Promise<ChildProcess> {
    const { servers: clusterDNS } = this.config.clusterZone;
    return this.network.startCache(listenAddresses(this.config), { clusterDNS });
  }

  /** A cache that answers for itself, but for none of the cluster's names. */
  startCacheWithoutUpstream(): Promise<ChildProcess> {
    return this.network.startCache(listenAddresses(this.config), {
      clusterDNS: [this.family === "IPv4" ? "10.255.255.1" : "fd00:255::1"],
    });
  }

  /** Listens where the cache does, and answers every query with SERVFAIL. */
  startBrokenCache(): Promise<ChildProcess> {
    return this.network.startCoreDNS(this.network.node, listenAddresses(this.config), brokenCorefile);
  }

  /** A DNS server of the host on every address, as dnsmasq may be. */
  startOther(): Promise<ChildProcess> {
    return this.network.startCoreDNS(this.network.node, ["0.0.0.0"], otherCorefile);
  }

  async startWatchdog(config: AgentConfig = this.config): Promise<void> {
    this.watchdog = startWatchdog(this.network, config);
    await ready(this.network);
  }

  remove(): Promise<void> {
    return this.network.remove();
  }
}

/** Runs a function on a node with everything running, and cleans up whatever happens. */
export async function onNode<T>(setting: Setting, run: (scenario: Scenario) => Promise<T>): Promise<T> {
  const scenario = await Scenario.create(setting);
  try {
    return await run(scenario);
  } finally {
    await scenario.remove();
  }
}

const brokenCorefile = `.:53 {
    bind $LISTEN
    template IN ANY . {
        rcode SERVFAIL
    }
}
`;

const otherCorefile = `.:53 {
    bind $LISTEN
    template IN A . {
        answer "{{ .Name }} 0 IN A 192.0.2.3"
    }
}
`;
