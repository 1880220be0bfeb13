import type { WatchdogThresholds } from "../props/watchdog-thresholds";
import type { RuleInput } from "../packet-rules/rule-input";

/**
 * What the agent's programs on a node are told: the constructs write it as JSON into a ConfigMap, the agent reads it with
 * `checkAgentConfig`. The fields of `RuleInput` stand in it as they are, but for `cache`, which follows from `state`.
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
    /** Addresses, or `$NAME`: the address in that environment variable (`$KUBE_DNS_UPSTREAM_SERVICE_HOST`), left out where it is unset. */
    readonly servers: readonly string[];
  };

  /** Where the watchdog serves /metrics, /healthz and /readyz; every address of the node unless one is given. */
  readonly metrics: { readonly port: number; readonly address?: string };

  /** @default - `defaultThresholds` */
  readonly thresholds?: Partial<Thresholds>;
}

/** When the watchdog acts. Times are in milliseconds. Those of `WatchdogThresholds` can be set in a cluster file. */
export interface Thresholds extends Required<WatchdogThresholds> {
  /** An answer that is not there by then is suspicious: from here on probes follow each other by `fastInterval`. */
  readonly probeLate: number;
  readonly fastInterval: number;
  /** `recoverAfter` doubles with every flip within `flapWindow`, up to this. */
  readonly recoverMax: number;
  readonly flapWindow: number;
  /** Between two questions for the cluster zone, through the cache and past it. */
  readonly clusterInterval: number;
  readonly clusterTimeout: number;
  /** Failures in a row through the cache, while the cluster DNS answers, until the cache is left. */
  readonly clusterFailures: number;
  /** Between two readings of the counters, which also refresh the host's switch. */
  readonly countInterval: number;
  /** Counting starts to mean something from so many requests between two readings ... */
  readonly countRequests: number;
  /** ... and fewer replies than this share of them are replies that get lost. */
  readonly countShare: number;
  /** Readings in a row that find replies missing until the cache is left. */
  readonly countFailures: number;
  /** Until the cache is tried again after its replies got lost, for only its use can show; doubles up to `countRetryMax`. */
  readonly countRetry: number;
  readonly countRetryMax: number;
  /** Between two complete comparisons of link, addresses and rules with what they must be. */
  readonly checkInterval: number;
}

/** Their reasons are in docs/watchdog.md. */
export const defaultThresholds: Thresholds = {
  probeInterval: 600,
  probeTimeout: 100,
  probeLate: 50,
  fastInterval: 25,
  failures: 3,
  windowFailures: 10,
  windowLength: 60_000,
  successes: 5,
  recoverAfter: 3_000,
  recoverMax: 60_000,
  flapWindow: 600_000,
  clusterInterval: 10_000,
  clusterTimeout: 1_000,
  clusterFailures: 3,
  countInterval: 15_000,
  countRequests: 10,
  countShare: 0.2,
  countFailures: 2,
  countRetry: 60_000,
  countRetryMax: 1_800_000,
  hostTimeout: 35_000,
  checkInterval: 60_000,
};

/** What the rules of a node follow from. */
export function ruleInput(config: AgentConfig): RuleInput {
  return { ...config, cache: config.state === "enabled" };
}
