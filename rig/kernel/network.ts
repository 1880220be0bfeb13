import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cacheLameduckSeconds } from "../../src/model/corefile/node-local-dns";
import { load, type LoadOptions } from "../load/load";
import type { LoadReport } from "../load/report";
import { buildTools, tool } from "../tools";
import { until } from "../until";
import { writeServices } from "./kube-proxy";
import { Namespace } from "./namespace";

/** Addresses of the small cluster, one set per family. */
export const addresses = {
  IPv4: {
    service: "10.96.0.10",
    linkLocal: "169.254.20.10",
    pastCache: "169.254.20.12",
    pod: "10.244.1.2",
    node: "10.244.1.1",
    dns: "10.244.2.2",
    dnsGateway: "10.244.2.1",
    length: 24,
  },
  IPv6: {
    service: "fd00:96::a",
    linkLocal: "fd00:169:254:20::10",
    pastCache: "fd00:169:254:20::12",
    pod: "fd00:244:1::2",
    node: "fd00:244:1::1",
    dns: "fd00:244:2::2",
    dnsGateway: "fd00:244:2::1",
    length: 64,
  },
} as const;

export type Family = keyof typeof addresses;

/** The address that names under `load.test` resolve to, depending on who answered. */
export const answeredBy = { cache: { A: "192.0.2.1" }, cluster: { A: "192.0.2.2" } } as const;

/** A pod, its node, and the cluster DNS pod on another link, each in a network namespace. */
export class Network {
  readonly pod = new Namespace("pod");
  readonly node = new Namespace("node");
  readonly dns = new Namespace("dns");
  readonly folder = mkdtempSync(join(tmpdir(), "cdns-"));
  private files = 0;
  private readonly outputs: string[] = [];

  private constructor(
    private readonly binary: string,
    readonly families: readonly Family[],
  ) {}

  static async create(
    mode: "iptables" | "nftables" | "none",
    families: readonly Family[] = ["IPv4"],
    backend?: "legacy" | "nft",
  ): Promise<Network> {
    await buildTools((what) => console.error(what), ["coredns"]);
    const network = new Network(tool("coredns", "coredns"), families);
    try {
      network.prepare(mode, backend);
      return network;
    } catch (error) {
      await network.remove();
      throw error;
    }
  }

  private prepare(mode: "iptables" | "nftables" | "none", backend?: "legacy" | "nft"): void {
    const { families, node } = this;
    this.connect(this.pod, "pod0", (a) => ({ inner: a.pod, outer: a.node, length: a.length }));
    this.connect(this.dns, "dns0", ({ dns, dnsGateway, length }) => ({ inner: dns, outer: dnsGateway, length }));
    // The rest of the world is behind the cluster DNS.
    for (const family of families)
      node.ip(`${family === "IPv6" ? "-6 " : ""}route add default via ${addresses[family].dns}`);
    node.run("sysctl", ["-q", "-w", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1"]);
    if (mode !== "none") {
      const kubeDns = ({ service: ip, dns: endpoint }: (typeof addresses)[Family]) => ({
        name: "kube-dns",
        ip,
        endpoint,
      });
      const services = families.map((family) => kubeDns(addresses[family]));
      writeServices(node, mode, services, backend);
    }
  }

  /** Starts the cluster DNS; resolves once it answers. */
  async startClusterDNS(
    listen: readonly string[] = this.families.map((family) => addresses[family].dns),
  ): Promise<ChildProcess> {
    return this.startCoreDNS(this.dns, listen, clusterDNSCorefile);
  }

  /** Starts a cache on the node, configured as the constructs do. */
  async startCache(listen: readonly string[], options: CacheOptions = {}): Promise<ChildProcess> {
    return this.startCoreDNS(
      this.node,
      listen,
      cacheCorefile({ clusterDNS: this.families.map((f) => addresses[f].pastCache), ...options }),
    );
  }

  async startCoreDNS(where: Namespace, listen: readonly string[], corefile: string): Promise<ChildProcess> {
    const index = this.files++;
    const file = join(this.folder, `Corefile-${index}`);
    writeFileSync(file, corefile.replaceAll("$LISTEN", listen.join(" ")));
    const child = where.start([this.binary, "-conf", file], { POD_NAME: "cache" });
    const output = () => this.outputs[index] ?? "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => (this.outputs[index] = output() + chunk.toString()));
    // It prints its version once it listens.
    await until("CoreDNS to listen", 30, async () => child.exitCode !== null || output().includes("linux/"), 20);
    if (child.exitCode !== null) throw new Error(`CoreDNS stopped: ${output()}`);
    return child;
  }

  /** The last lines of each CoreDNS, in the order of their starts. */
  lastLines(): string {
    return this.outputs.map((output) => output.trimEnd().split("\n").slice(-10).join("\n")).join("\n\n");
  }

  /** Generates load from the pod, or from the node's own processes. */
  load(options: Load, meanwhile?: () => Promise<void>): Promise<LoadReport> {
    const { from = this.pod, names = ["%.load.test"], ...rest } = options;
    return load(from, { names, ...rest }, meanwhile);
  }

  async remove(): Promise<void> {
    for (const namespace of [this.pod, this.node, this.dns]) await namespace.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private connect(
    other: Namespace,
    link: string,
    pick: (a: (typeof addresses)[Family]) => { inner: string; outer: string; length: number },
  ): void {
    this.node.ip(`link add ${link} type veth peer name eth0 netns ${other.name}`);
    this.node.ip(`link set ${link} up`);
    other.ip("link set eth0 up");
    for (const family of this.families) {
      const { inner, outer, length } = pick(addresses[family]);
      const nodad = family === "IPv6" ? " nodad" : "";
      this.node.ip(`address add ${outer}/${length} dev ${link}${nodad}`);
      other.ip(`address add ${inner}/${length} dev eth0${nodad}`);
      other.ip(`${family === "IPv6" ? "-6 " : ""}route add default via ${outer}`);
    }
  }
}

export interface Load extends Omit<LoadOptions, "names"> {
  readonly names?: readonly string[];
  readonly from?: Namespace;
}

export interface CacheOptions {
  readonly clusterDNS?: readonly string[];
  readonly configHash?: string;
  /** On the loopback interface. With it, it goes on answering for a while after SIGTERM, as in a cluster. */
  readonly healthPort?: number;
  /** The server of names outside of the cluster. */
  readonly outside?: string;
}

// Under load.test each server's answers identify it, so that clients see which one answered; the rest is as in a
// cluster.
export function answersOfItself(last: string): string {
  return `load.test:53 {
    bind $LISTEN
    template IN A load.test {
        answer "{{ .Name }} 0 IN A 192.0.2.${last}"
    }
    template IN AAAA load.test {
        answer "{{ .Name }} 0 IN AAAA 2001:db8::${last}"
    }
}
`;
}

const clusterDNSCorefile = `${answersOfItself("2")}cluster.local:53 {
    bind $LISTEN
    template IN A cluster.local {
        answer "{{ .Name }} 5 IN A 10.96.0.1"
    }
    template IN AAAA cluster.local {
        answer "{{ .Name }} 5 IN AAAA fd00:96::1"
    }
}
outside.test:53 {
    bind $LISTEN
    template IN A outside.test {
        answer "{{ .Name }} 30 IN A 192.0.2.4"
    }
}
unanswered.test:53 {
    bind $LISTEN
    acl {
        drop
    }
}
.:53 {
    bind $LISTEN
    template IN ANY . {
        rcode NXDOMAIN
    }
}
`;

function cacheCorefile({ clusterDNS = [], configHash = "0123456789", healthPort, outside }: CacheOptions): string {
  const health =
    healthPort === undefined
      ? ""
      : `    health 127.0.0.1:${healthPort} {
        lameduck ${cacheLameduckSeconds}s
    }
`;
  const others =
    outside === undefined
      ? ""
      : `.:53 {
    bind $LISTEN
    cache {
        success 1024 30
        denial 1024 30
    }
    forward . ${outside} {
        max_concurrent 1000
    }
}
`;
  return `${answersOfItself("1")}${others}cluster.local:53 {
    bind $LISTEN
    errors
    cache {
        success 9984 30
        denial 9984 5
        serve_stale
    }
    forward . ${clusterDNS.join(" ")} {
        force_tcp
    }
}
health.node-local-dns.internal:53 {
    bind $LISTEN
${health}    template IN TXT health.node-local-dns.internal {
        answer "{{ .Name }} 0 IN TXT \\"pod={$POD_NAME}\\" \\"config=${configHash}\\""
    }
}
`;
}
