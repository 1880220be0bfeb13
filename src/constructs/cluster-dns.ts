import { Construct } from "constructs";
import { isCluster, type KubeletDnsConfiguration } from "../model/cluster/cluster";
import { AdmissionPolicies } from "./admission-policies";
import { AuthoritativeDns } from "./authoritative-dns";
import { Cleanup } from "./cleanup";
import { type ComponentProps, resolvedCluster } from "./resolved-cluster";
import { Federation } from "./federation";
import { Monitoring } from "./monitoring";
import { NodeLocalDns } from "./node-local-dns";
import { NodeResolver } from "./node-resolver";
import { SmokeTest } from "./smoke-test";
import { Tenancy } from "./tenancy";
import { Watchdog } from "./watchdog";
import { Webhook } from "./webhook";

const gitopsAlone =
  "gitops has no effect here: only synth renders objects for Argo CD and Flux, from a cluster file; leave it out";

/** The whole DNS of a cluster, from one description. */
export class ClusterDns extends Construct {
  /** Undefined without `tenancy`. */
  readonly tenancy?: Tenancy;
  /** Undefined without `federation`. */
  readonly federation?: Federation;
  /** Undefined if the cluster keeps its own (`authoritativeDNS.kind: Existing`). */
  readonly authoritativeDns?: AuthoritativeDns;
  /** Undefined if the mode has no node cache, or it is disabled. */
  readonly nodeLocalDns?: NodeLocalDns;
  /** Undefined if nodes have no rules, or with `nodeLocalDNS.watchdog: false`. */
  readonly watchdog?: Watchdog;
  /** Only with `nodeLocalDNS.state: removed`. */
  readonly cleanup?: Cleanup;
  /** Undefined without `nodeResolver`. */
  readonly nodeResolver?: NodeResolver;
  /** Undefined without `admission`, or if the version has no policies. */
  readonly admissionPolicies?: AdmissionPolicies;
  /** Undefined if `admission` needs none. */
  readonly webhook?: Webhook;
  /** Undefined without `smokeTest`. */
  readonly smokeTest?: SmokeTest;
  /** Undefined without `monitoring`. */
  readonly monitoring?: Monitoring;
  /** What every kubelet must be told; not an object to apply. */
  readonly kubeletConfiguration: KubeletDnsConfiguration;
  /** What the description does not provide although users may expect it; also warnings at synthesis. */
  readonly notes: readonly string[];

  /**
   * Constructs the components in apply order, which charts, folders of `dist/` and kustomizations follow.
   * @throws Error listing everything wrong with the props, each with its path.
   */
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id);
    const cluster = resolvedCluster(this, props);
    this.kubeletConfiguration = cluster.kubelet;
    // Another program made a `Cluster`, which may render them.
    const isAlone = !isCluster(props) && cluster.gitops !== undefined;
    this.notes = [...cluster.notes, ...(isAlone ? [gitopsAlone] : [])];
    warnAtSynthesis(this, this.notes);

    const {
      tenancy,
      federation,
      authoritativeDns,
      nodeLocalDns,
      watchdog,
      cleanup,
      nodeResolver,
      admissionPolicies,
      webhook,
      smokeTest,
      monitoring,
      ...others
    } = cluster.components;
    if (tenancy) this.tenancy = new Tenancy(this, "tenancy", cluster);
    if (federation) this.federation = new Federation(this, "federation", cluster);
    if (authoritativeDns) this.authoritativeDns = new AuthoritativeDns(this, "authoritative-dns", cluster);
    if (nodeLocalDns) this.nodeLocalDns = new NodeLocalDns(this, "node-local-dns", cluster);
    if (watchdog) this.watchdog = new Watchdog(this, "watchdog", cluster);
    if (cleanup) this.cleanup = new Cleanup(this, "cleanup", cluster);
    if (nodeResolver) this.nodeResolver = new NodeResolver(this, "node-resolver", cluster);
    // After those: by then everything that admission protects exists, so the first apply changes nothing protected.
    if (admissionPolicies) this.admissionPolicies = new AdmissionPolicies(this, "admission-policies", cluster);
    if (webhook) this.webhook = new Webhook(this, "webhook", cluster);
    // It tests all of the above, and is named after it.
    if (smokeTest) this.smokeTest = new SmokeTest(this, "smoke-test", cluster);
    // Its kinds may be missing, which must hold up nothing else.
    if (monitoring) this.monitoring = new Monitoring(this, "monitoring", cluster);
    // A new component that is not constructed above does not compile.
    others satisfies { readonly [component: string]: never };
  }
}

/**
 * cdk8s has no warnings of its own. It validates when an app is synthesized, which the command line does not do: it
 * prints the notes itself.
 */
function warnAtSynthesis(construct: Construct, notes: readonly string[]): void {
  let isTold = false;
  construct.node.addValidation({
    validate: () => {
      if (!isTold)
        for (const note of notes) process.emitWarning(`${construct.node.path}: ${note}`, "ClusterDnsWarning");
      isTold = true;
      return [];
    },
  });
}
