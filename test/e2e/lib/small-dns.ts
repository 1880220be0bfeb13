import { afterAll } from "vitest";
import {
  authoritativeCorefileOf,
  cacheFilesOf,
  filesOf,
  nodeLocalDnsCorefileBeside,
} from "../../../rig/coredns/corefile-of";
import { runCoreDNS, type RunOptions, type Running } from "../../../rig/coredns/coredns";
import { FakeApi } from "../../../rig/coredns/fake-api";
import type { Corefile } from "../../../src/model/corefile/corefile";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { DnsServer } from "../../../rig/dns-server";
import { namespace, service } from "../../../rig/coredns/objects";

/** What a cluster file has to say; nobody outside is asked. */
export const facts = {
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "iptables",
  upstreamNameservers: ["127.0.0.254:9"],
} as const satisfies ClusterDnsProps;

/** The same, with a node cache. */
export const cached = { ...facts, agentImage: "agent:1" } as const satisfies ClusterDnsProps;

interface Options extends Partial<RunOptions> {
  /** What is run in place of the rendered Corefile. */
  readonly edited?: (corefile: Corefile) => Corefile;
}

export interface CoreDnsAndCache {
  readonly cluster: Running;
  readonly cache: Running;
}

/** DNS of a file's own: CoreDNS, and an API server and servers outside that are small. They end the last first. */
export class SmallDns {
  private readonly stops: (() => unknown)[] = [];

  /** @param after When they end. */
  constructor(after: (stop: () => Promise<void>) => void = afterAll) {
    after(() => this.stop());
  }

  async stop(): Promise<void> {
    for (const stop of this.stops.splice(0).reverse()) await stop();
  }

  /** It ends with the others. */
  keep<T extends { stop(): unknown }>(started: T): T {
    this.stops.push(() => started.stop());
    return started;
  }

  /** An API server with these namespaces, and the cluster IPs of their Services. */
  async api(
    namespaces: { readonly [namespace: string]: { readonly [service: string]: string } } = {},
  ): Promise<{ readonly api: FakeApi; readonly url: string }> {
    const api = this.keep(new FakeApi());
    for (const [name, services] of Object.entries(namespaces)) {
      api.put("namespaces", namespace(name));
      for (const [each, clusterIP] of Object.entries(services)) api.put("services", service(name, each, clusterIP));
    }
    return { api, url: await api.start() };
  }

  /** A server outside. */
  async upstream(answer: DnsServer["answer"]): Promise<DnsServer> {
    return this.keep(await new DnsServer(answer).start());
  }

  async run(corefile: Corefile, { api = "", edited = (each) => each, ...options }: Options = {}): Promise<Running> {
    return this.keep(await runCoreDNS(edited(corefile), { api, ...options }));
  }

  /** CoreDNS as a cluster file describes it. */
  cluster(props: ClusterDnsProps, options: Options = {}): Promise<Running> {
    return this.run(authoritativeCorefileOf(props), { files: filesOf(props), ...options });
  }

  /** A node's cache in front of the cluster DNS at this port. */
  cache(port: number, props: ClusterDnsProps, options: Options = {}): Promise<Running> {
    return this.run(nodeLocalDnsCorefileBeside(port, props), { files: cacheFilesOf(props), ...options });
  }

  async both(props: ClusterDnsProps, options: Options = {}): Promise<CoreDnsAndCache> {
    const cluster = await this.cluster(props, options);
    return { cluster, cache: await this.cache(cluster.port, props, options) };
  }
}
