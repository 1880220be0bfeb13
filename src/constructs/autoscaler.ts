import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { ProportionalSettings } from "../model/cluster/authoritative-dns";
import type { Cluster } from "../model/cluster/cluster";
import { anyTCP } from "../model/network-policies/pod-rules";
import { names, namespace } from "../model/object-names";
import { Component } from "./component";
import { confined, placement, resources, unprivileged } from "./pod-parts";

const name = names.autoscaler;
const labels = { "k8s-app": name } as const;

/**
 * cluster-proportional-autoscaler in linear mode. Its rights are limited to its own namespace, except for counting
 * nodes.
 */
export class Autoscaler extends Component {
  protected readonly stage = "nodeLocalDns";
  /** Its account. */
  readonly serviceAccount: ApiObject;
  /** What it may do: roles, each followed by its binding. */
  readonly access: readonly ApiObject[];
  /** The parameters of linear mode, which it reads while it runs. */
  readonly configMap: ApiObject;
  /** Only with `networkPolicies`. */
  readonly networkPolicy?: ApiObject;
  /** `dns-autoscaler`. */
  readonly deployment: ApiObject;

  constructor(scope: Construct, id: string, cluster: Cluster, settings: ProportionalSettings) {
    super(scope, id, cluster);
    const { coresPerReplica, nodesPerReplica, min, max, image } = settings;
    this.serviceAccount = this.add("ServiceAccount", { metadata: { name } });
    this.access = this.addAccess();
    this.configMap = this.add("ConfigMap", {
      metadata: { name, labels },
      data: {
        linear: JSON.stringify({
          coresPerReplica,
          nodesPerReplica,
          min,
          max,
          preventSinglePointFailure: min > 1,
          includeUnschedulableNodes: true,
        }),
      },
    });
    const policies = this.cluster.networkPolicies;
    if (policies && !policies.onlyWebhook)
      this.networkPolicy = this.addNetworkPolicy(name, labels, { egress: [anyTCP] });
    this.deployment = this.add("Deployment", {
      metadata: { name, labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: this.labelled(labels),
          spec: {
            priorityClassName: "system-cluster-critical",
            serviceAccountName: name,
            securityContext: unprivileged(65534),
            ...placement(settings.placement),
            containers: [
              {
                name: "autoscaler",
                image,
                imagePullPolicy: "IfNotPresent",
                command: ["/cluster-proportional-autoscaler"],
                args: [
                  `--namespace=${namespace}`,
                  `--configmap=${name}`,
                  `--target=deployment/${names.authoritativeDns}`,
                  "--logtostderr=true",
                  "--v=2",
                ],
                resources: resources({ requests: { cpu: "20m", memory: "10Mi" } }),
                securityContext: confined([]),
              },
            ],
          },
        },
      },
    });
  }

  private addAccess(): ApiObject[] {
    const nodes = this.addRole("ClusterRole", name, [
      { apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"] },
    ]);
    const pods = this.addRole("Role", name, [
      {
        apiGroups: ["apps"],
        resources: ["deployments/scale"],
        resourceNames: [names.authoritativeDns],
        verbs: ["get", "update"],
      },
      { apiGroups: [""], resources: ["configmaps"], resourceNames: [name], verbs: ["get"] },
    ]);
    return [...nodes, ...pods];
  }
}
