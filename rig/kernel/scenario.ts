import type { ChildProcess } from "node:child_process";
import type { AgentConfig } from "../../src/model/agent-config/agent-config";
import { cacheGraceSeconds } from "../../src/model/corefile/node-local-dns";
import { stoppingPath } from "../../src/model/node-programs";
import { sleep } from "../until";
import { agentConfig, listenAddresses, runAgent, startWatchdog, type ConfigChange } from "./agent";
import { page, ready } from "./metrics";
import { stop } from "./namespace";
import { addresses, answeredBy, Network, type Family } from "./network";

export const cache = answeredBy.cache.A;
export const cluster = answeredBy.cluster.A;

const silentServer = { IPv4: "10.255.255.1", IPv6: "fd00:255::1" } as const;

/** After SIGTERM; CoreDNS waits five seconds for a server. */
const askedMs = 3000;

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
  private healthPort = 20_000;
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
      clusterDNS: [silentServer[this.family]],
    });
  }

  /** A cache that stops as in a cluster, and waits for a server that is silent when asked for an outside name. */
  startCacheOfSilentServer(): Promise<ChildProcess> {
    const { servers: clusterDNS } = this.config.clusterZone;
    const outside = silentServer[this.family];
    return this.network.startCache(listenAddresses(this.config), {
      clusterDNS,
      outside,
      healthPort: this.healthPort++,
    });
  }

  /** Stops it as the kubelet does, with questions that it has accepted and cannot answer. */
  async stopWaiting(process: ChildProcess): Promise<void> {
    const { network, config, server } = this;
    if (config.watchdog) page(network, stoppingPath, config.healthPort);
    const ended = stop(process, "SIGTERM");
    await sleep(askedMs);
    // Whichever of two caches the kernel chooses for each, some are this one's.
    for (let i = 0; i < 12; i++) network.pod.start(["dig", `@${server}`, "+tries=1", "+time=5", `outside${i}.test`]);
    const graceSeconds = cacheGraceSeconds[config.watchdog ? "watched" : "unwatched"];
    await Promise.race([ended, sleep(graceSeconds * 1000 - askedMs)]);
    process.kill("SIGKILL");
    await ended;
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
