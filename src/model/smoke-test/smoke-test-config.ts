import type { DnsService } from "../dns-service";

/** What `agent smoke-test` asks: the construct writes it as JSON into a ConfigMap. */
export interface SmokeTestConfig {
  /** Version of this format. */
  readonly version: 1;

  /**
   * Servers that pods may have, as `IP` or `IP:port`: the cache's own addresses, and those of Service `kube-dns`. Those in
   * the pod's own resolv.conf are asked as well.
   */
  readonly servers: { readonly linkLocal: readonly string[]; readonly service: readonly string[] };

  /** Where to look at a DNS that is not ours. */
  readonly dnsService?: DnsService;

  /** Always answered by a server that works; asked first. */
  readonly clusterName: SmokeTestQuestion;

  readonly questions: readonly SmokeTestQuestion[];

  /** The headless Service with the test's own pods, its record types, and whether pods have CoreDNS's names there. */
  readonly own: {
    readonly service: string;
    readonly types: readonly ("A" | "AAAA")[];
    readonly hasPodNames: boolean;
  };

  /**
   * Seconds until nothing answers from before the rollout: pods that it ended, and what caches kept of them.
   * @minimum 0
   */
  readonly settledAfterSeconds: number;

  /** With a node cache only. */
  readonly cache?: {
    /** Zone that only the cache answers: TXT `pod=<name>`. */
    readonly healthZone: string;
    /** Servers at which the cache of each node must answer its pods, in place of the cluster DNS. */
    readonly servers: readonly string[];
    /**
     * For how many seconds these are asked whether it is the cache.
     * @minimum 0
     */
    readonly usedWithinSeconds: number;
  };
}

export interface SmokeTestQuestion {
  /** What the question shows. */
  readonly about: About;
  readonly name: string;
  readonly type: "A" | "AAAA" | "PTR" | "SOA" | "SRV";
  /**
   * `records`: with an answer of this type. `exists`: NOERROR, with or without one. For a new name below this one, which
   * no cache knows: `absent`: NXDOMAIN; `answered`: neither SERVFAIL nor REFUSED.
   */
  readonly expect: "records" | "exists" | "absent" | "answered";
  /** With `records`: exactly these; SRV as `PORT TARGET`. */
  readonly data?: readonly string[];
}

export type About =
  | "cluster"
  | "service"
  | "reverse"
  | "absent"
  | "outside"
  | "upstream"
  | "upstream-of-cluster-dns"
  | "stub-domain"
  | "zone"
  | "tenant"
  | "federation";
