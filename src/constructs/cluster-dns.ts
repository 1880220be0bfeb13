import { Construct } from "constructs";
import { kubeletConfiguration, type KubeletDnsConfiguration } from "../model/kubelet";
import {
  admissionPolicyProps,
  authoritativeDnsProps,
  cleanupProps,
  federationProps,
  nodeLocalDnsProps,
  nodeResolverProps,
  tenancyProps,
  watchdogProps,
  webhookProps,
} from "../model/components";
import type { ClusterDnsProps } from "../model/props/cluster-dns";
import { markSound } from "../model/check/sound";
import { AdmissionPolicies } from "./admission-policies";
import { AuthoritativeDns } from "./authoritative-dns";
import { checkProps } from "./check-props";
import { Cleanup } from "./cleanup";
import { Federation } from "./federation";
import { NodeLocalDns } from "./node-local-dns";
import { NodeResolver } from "./node-resolver";
import { Tenancy } from "./tenancy";
import { Watchdog } from "./watchdog";
import { Webhook } from "./webhook";

/** The whole DNS of a cluster, from one description. */
export class ClusterDns extends Construct {
  /** Undefined without `tenancy`. */
  readonly tenancy?: Tenancy;
  /** Undefined without `federation`. */
  readonly federation?: Federation;
  /** Undefined where the cluster keeps its own (`authoritativeDNS.kind: Existing`). */
  readonly authoritativeDns?: AuthoritativeDns;
  /** Undefined where the mode has no node cache, or it is not enabled. */
  readonly nodeLocalDns?: NodeLocalDns;
  /** Undefined where nodes have no rules, or it is left out (`nodeLocalDNS.watchdog: false`). */
  readonly watchdog?: Watchdog;
  /** Only with `nodeLocalDNS.state: removed`. */
  readonly cleanup?: Cleanup;
  /** Undefined without `nodeResolver`. */
  readonly nodeResolver?: NodeResolver;
  /** Undefined without `admission`, or where the version has no policies. */
  readonly admissionPolicies?: AdmissionPolicies;
  /** Undefined where `admission` needs none. */
  readonly webhook?: Webhook;
  /** What every kubelet must be told; not an object to apply. */
  readonly kubeletConfiguration: KubeletDnsConfiguration;

  /**
   * @throws Error with everything that is wrong with the props, each with its path.
   */
  constructor(scope: Construct, id: string, props: ClusterDnsProps) {
    super(scope, id);
    checkProps(this, props);
    const sound = markSound({ ...props });
    this.kubeletConfiguration = kubeletConfiguration(sound);
    const tenancy = tenancyProps(sound);
    if (tenancy) this.tenancy = new Tenancy(this, "tenancy", tenancy);
    const federation = federationProps(sound);
    if (federation) this.federation = new Federation(this, "federation", federation);
    const authoritative = authoritativeDnsProps(sound);
    if (authoritative) this.authoritativeDns = new AuthoritativeDns(this, "authoritative-dns", authoritative);
    const nodeLocal = nodeLocalDnsProps(sound);
    if (nodeLocal) this.nodeLocalDns = new NodeLocalDns(this, "node-local-dns", nodeLocal);
    const watchdog = watchdogProps(sound);
    if (watchdog) this.watchdog = new Watchdog(this, "watchdog", watchdog);
    const cleanup = cleanupProps(sound);
    if (cleanup) this.cleanup = new Cleanup(this, "cleanup", cleanup);
    const nodeResolver = nodeResolverProps(sound);
    if (nodeResolver) this.nodeResolver = new NodeResolver(this, "node-resolver", nodeResolver);
    const policies = admissionPolicyProps(sound);
    if (policies) this.admissionPolicies = new AdmissionPolicies(this, "admission-policies", policies);
    const webhook = webhookProps(sound);
    if (webhook) this.webhook = new Webhook(this, "webhook", webhook);
  }
}
