import type { RuleInput } from "../packet-rules/rule-input";
import type { Thresholds } from "./thresholds";

/**
 * Configuration of the agent's programs on a node: the constructs write it as JSON into a ConfigMap. It has the fields
 * of `RuleInput`, except for `cache`, which follows from `state`.
 */
export interface AgentConfig extends Omit<RuleInput, "cache"> {
  /** Version of this format. */
  readonly version: 1;

  /**
   * `enabled`: link, addresses and rules, with a cache where one listens. `draining`: no cache anywhere; the rules
   * translate for pods that still hold the link-local address. `removed`: `agent cleanup` only.
   */
  readonly state: "enabled" | "draining" | "removed";

  /**
   * Whether a watchdog runs on the node. Without it, node-setup turns the switch on for good and leaves the rest to the
   * socket match.
   */
  readonly watchdog: boolean;

  /** Zone that only the cache itself answers: TXT `pod=<name>`, `config=<hash>`. The final dot is optional. */
  readonly healthZone: string;

  /** A name of the cluster zone that always exists, and the servers to ask for it past the cache. */
  readonly clusterZone: {
    /** `kubernetes.default.svc.cluster.local` */
    readonly name: string;
    readonly servers: readonly string[];
  };

  /**
   * The file on the node whose nameservers the cache asks for names outside; left out if the cluster file names others.
   */
  readonly resolvConf?: string;

  /** Where the watchdog serves its metrics; `$NAME` is the address in that environment variable. */
  readonly metrics: {
    /**
     * @minimum 1
     * @maximum 65535
     * @asType integer
     */
    readonly port: number;
    readonly address: string;
  };

  /**
   * Port on loopback for the kubelet's health checks of the watchdog.
   * @minimum 1
   * @maximum 65535
   * @asType integer
   */
  readonly healthPort: number;

  readonly thresholds: Thresholds;
}

/** What a node's rules follow from. */
export function ruleInput(config: AgentConfig): RuleInput {
  return { ...config, cache: config.state === "enabled" };
}
