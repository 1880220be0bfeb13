import type { ApiObject } from "cdk8s";
import type { Container, KubeDaemonSetProps, KubeServiceAccountProps, PodSpec } from "cdk8s-plus-27/lib/imports/k8s";
import type { Construct } from "constructs";
import { wave } from "../model/gitops";
import type { ClusterFacts } from "../model/props/cluster-facts";
import type { NodePlacement } from "../model/props/placement";
import { addObject, extras, namespace, type Plain } from "./api-object";
import { everyTaint, placement } from "./pod-parts";

export interface AgentDaemonSetProps {
  readonly name: string;
  readonly nodePlacement?: NodePlacement;
  readonly container: Plain<Container>;
  readonly volumes: Plain<PodSpec>["volumes"];
  /** Pods that may be away at once while it rolls. */
  readonly maxUnavailable: string;
  readonly podAnnotations?: { readonly [key: string]: string };
}

/** A program of ours on the network of each node, without rights in the API. */
export function agentDaemonSet(
  scope: Construct,
  facts: ClusterFacts,
  props: AgentDaemonSetProps,
): { serviceAccount: ApiObject; daemonSet: ApiObject } {
  const { name, container, volumes, maxUnavailable, podAnnotations, nodePlacement = {} } = props;
  const labels = { "k8s-app": name };
  const serviceAccount = addObject<KubeServiceAccountProps>(scope, facts, ["v1", "ServiceAccount"], {
    metadata: { name, namespace, annotations: wave("access") },
    automountServiceAccountToken: false,
  });
  const daemonSet = addObject<KubeDaemonSetProps>(scope, facts, ["apps/v1", "DaemonSet"], {
    metadata: { name, namespace, labels, annotations: wave("nodeAgents") },
    spec: {
      selector: { matchLabels: labels },
      // No surge: two copies could not share the port of their metrics.
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable } },
      revisionHistoryLimit: 10,
      template: {
        metadata: extras(facts, { labels, annotations: podAnnotations }),
        spec: {
          priorityClassName: "system-node-critical",
          serviceAccountName: name,
          automountServiceAccountToken: false,
          hostNetwork: true,
          dnsPolicy: "Default",
          terminationGracePeriodSeconds: 5,
          securityContext: { seccompProfile: { type: "RuntimeDefault" } },
          ...placement(nodePlacement, everyTaint),
          containers: [container],
          volumes,
        },
      },
    },
  });
  return { serviceAccount, daemonSet };
}
