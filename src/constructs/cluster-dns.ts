import { Construct } from "constructs";
import { type Cluster, isCluster, type KubeletDnsConfiguration } from "../model/cluster/cluster";
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

/** Each component of a cluster has a field here, which its construct fills. */
type OfEach = { readonly [name in keyof Cluster["components"]]: Construct | undefined };

/** The whole DNS of a cluster, from one description. */
export class ClusterDns extends Construct implements OfEach {
  /** Undefined without `tenancy`. */
  readonly tenancy: Tenancy | undefined;
  /** Undefined without `federation`. */
  readonly federation: Federation | undefined;
  /** Undefined if the cluster keeps its own (`authoritativeDNS.kind: Existing`). */
  readonly authoritativeDns: AuthoritativeDns | undefined;
  /** Undefined if the mode has no node cache, or it is disabled. */
  readonly nodeLocalDns: NodeLocalDns | undefined;
  /** Undefined if nodes have no rules, or with `nodeLocalDNS.watchdog: false`. */
  readonly watchdog: Watchdog | undefined;
  /** Only with `nodeLocalDNS.state: removed`. */
  readonly cleanup: Cleanup | undefined;
  /** Undefined without `nodeResolver`. */
  readonly nodeResolver: NodeResolver | undefined;
  /** Undefined without `admission`, or if the version has no policies. */
  readonly admissionPolicies: AdmissionPolicies | undefined;
  /** Undefined if `admission` needs none. */
  readonly webhook: Webhook | undefined;
  /** Undefined without `smokeTest`. */
  readonly smokeTest: SmokeTest | undefined;
  /** Undefined without `monitoring`. */
  readonly monitoring: Monitoring | undefined;
  /** What every kubelet must be told; not an object to apply. */
  readonly kubeletConfiguration: KubeletDnsConfiguration;
  /** What the description does not provide although users may expect it; also warnings at synthesis. */
  readonly notes: readonly string[];

  /**
   * @throws Error listing everything wrong with the props, each with its path.
   */
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id);
    const cluster = resolvedCluster(this, props);
    this.kubeletConfiguration = cluster.kubelet;
    // Another program made a `Cluster`, which may render them.
    const isAlone = !isCluster(props) && cluster.said.gitops !== undefined;
    this.notes = [...cluster.notes, ...(isAlone ? [gitopsAlone] : [])];
    warnAtSynthesis(this, this.notes);

    const make = <Made>(name: keyof OfEach, Of: new (scope: Construct, id: string, props: Cluster) => Made) =>
      cluster.components[name] && new Of(this, name.replaceAll(/[A-Z]/g, "-$&").toLowerCase(), cluster);
    // In apply order, which charts, folders of `dist/` and kustomizations follow.
    this.tenancy = make("tenancy", Tenancy);
    this.federation = make("federation", Federation);
    this.authoritativeDns = make("authoritativeDns", AuthoritativeDns);
    this.nodeLocalDns = make("nodeLocalDns", NodeLocalDns);
    this.watchdog = make("watchdog", Watchdog);
    this.cleanup = make("cleanup", Cleanup);
    this.nodeResolver = make("nodeResolver", NodeResolver);
    // After those: by then everything that admission protects exists, so the first apply changes nothing protected.
    this.admissionPolicies = make("admissionPolicies", AdmissionPolicies);
    this.webhook = make("webhook", Webhook);
    // It tests all of the above, and is named after it.
    this.smokeTest = make("smokeTest", SmokeTest);
    // Its kinds may be missing, which must hold up nothing else.
    this.monitoring = make("monitoring", Monitoring);
  }
}

/** cdk8s has no warnings of its own. It validates when an app is synthesized, which the command line does not do. */
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
