import type { RuleInput } from "../packet-rules/rule-input";
import type { Thresholds } from "./thresholds";

/**
 * What the agent's programs on a node are told: the constructs write it as JSON into a ConfigMap. It has the fields of `RuleInput`, except
 * for `cache`, which follows from `state`.
 */
export interface AgentConfig extends Omit<RuleInput, "cache"> {
  /** Of this format. */
  readonly version: 1;

  /**
   * `enabled`: link, addresses and rules, with a cache where one listens. `draining`: no cache anywhere; the rules translate for
   * pods that still hold the link-local address. `removed`: `agent cleanup` only.
   */
  readonly state: "enabled" | "draining" | "removed";

  /** Whether a watchdog runs on the node. Without it node-setup turns the switch on for good, and leaves the rest to the socket match. */
  readonly watchdog: boolean;

  /** Zone that only the cache itself answers: TXT `pod=<name>`, `config=<hash>`. With or without a dot at the end. */
  readonly healthZone: string;

  /** A name of the cluster zone that always exists, and who is asked for it past the cache. */
  readonly clusterZone: {
    /** `kubernetes.default.svc.cluster.local` */
    readonly name: string;
    readonly servers: readonly string[];
  };

  /** Where the watchdog serves its metrics; `$NAME`: the address in that environment variable. */
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
   * Where the kubelet asks on loopback for the watchdog's health.
   * @minimum 1
   * @maximum 65535
   * @asType integer
   */
  readonly healthPort: number;

  readonly thresholds: Thresholds;
}

/** What the rules of a node follow from. */
export function ruleInput(config: AgentConfig): RuleInput {
  return { ...config, cache: config.state === "enabled" };
}
