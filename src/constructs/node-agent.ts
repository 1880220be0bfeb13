import type { ApiObject } from "cdk8s";
import type { Container, PodSpec } from "cdk8s-plus-27/lib/imports/k8s";
import { everyTaint, placementOf, type Placement } from "../model/full-props/placement";
import { atOnce } from "../model/size/rollout";
import { Component } from "./component";
import type { Plain } from "./plain";
import { placement } from "./pod-parts";

/** One of our programs, on every node's network, without access to the API. */
export abstract class NodeAgent extends Component {
  protected readonly stage = "nodeAgents";

  /** @internal */
  protected addNodeAgent(
    name: string,
    props: {
      readonly container: Plain<Container>;
      readonly volumes: Plain<PodSpec>["volumes"];
      /** Pods that may be unavailable at once during a rolling update, in percent. */
      readonly unavailablePercent: number;
      readonly podAnnotations?: { readonly [key: string]: string };
      /** @default - every Linux node, whatever its taints */
      readonly placement?: Placement;
    },
  ): [serviceAccount: ApiObject, daemonSet: ApiObject] {
    const labels = { "k8s-app": name };
    const { unavailablePercent, container, volumes, podAnnotations } = props;
    const serviceAccount = this.add("ServiceAccount", { metadata: { name }, automountServiceAccountToken: false });
    const daemonSet = this.add("DaemonSet", {
      metadata: { name, labels },
      spec: {
        selector: { matchLabels: labels },
        // No surge: two copies cannot share the metrics port.
        updateStrategy: {
          type: "RollingUpdate",
          rollingUpdate: { maxSurge: 0, maxUnavailable: atOnce(unavailablePercent, this.cluster.said.size) },
        },
        revisionHistoryLimit: 10,
        template: {
          metadata: this.labelled(labels, podAnnotations),
          spec: {
            priorityClassName: "system-node-critical",
            serviceAccountName: name,
            automountServiceAccountToken: false,
            hostNetwork: true,
            dnsPolicy: "Default",
            terminationGracePeriodSeconds: 5,
            securityContext: { seccompProfile: { type: "RuntimeDefault" } },
            ...placement(props.placement ?? placementOf({}, everyTaint)),
            containers: [container],
            volumes,
          },
        },
      },
    });
    return [serviceAccount, daemonSet];
  }
}
