import type { ApiObject } from "cdk8s";
import type {
  KubeClusterRoleBindingProps,
  KubeClusterRoleProps,
  KubeConfigMapProps,
  KubeDeploymentProps,
  KubeRoleBindingProps,
  KubeRoleProps,
  KubeServiceAccountProps,
} from "cdk8s-plus-27/lib/imports/k8s";
import { Construct } from "constructs";
import { wave } from "../model/gitops";
import { defaultImage } from "../model/images";
import type { AuthoritativeDnsProps } from "../model/props/component-props";
import { addObject, extras, namespace } from "./api-object";
import { confined, placement, resources } from "./pod-parts";

export interface AutoscalerProps extends AuthoritativeDnsProps {
  /** What it scales: `deployment/coredns`. */
  readonly target: string;
}

const name = "dns-autoscaler";
const labels = { "k8s-app": name } as const;
const rbac = "rbac.authorization.k8s.io";

/** cluster-proportional-autoscaler in linear mode, with rights in its own namespace except for counting nodes. */
export class Autoscaler extends Construct {
  readonly configMap: ApiObject;
  readonly deployment: ApiObject;

  constructor(scope: Construct, id: string, props: AutoscalerProps) {
    super(scope, id);
    const access = { annotations: wave("access") };
    const subjects = [{ kind: "ServiceAccount", name, namespace }];
    addObject<KubeServiceAccountProps>(this, props, ["v1", "ServiceAccount"], {
      metadata: { name, namespace, ...access },
    });
    addObject<KubeClusterRoleProps>(this, props, [`${rbac}/v1`, "ClusterRole"], {
      metadata: { name: `system:${name}`, ...access },
      rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"] }],
    });
    addObject<KubeClusterRoleBindingProps>(this, props, [`${rbac}/v1`, "ClusterRoleBinding"], {
      metadata: { name: `system:${name}`, ...access },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: `system:${name}` },
      subjects,
    });
    addObject<KubeRoleProps>(this, props, [`${rbac}/v1`, "Role"], {
      metadata: { name, namespace, ...access },
      rules: [
        { apiGroups: ["apps"], resources: ["deployments/scale"], resourceNames: ["coredns"], verbs: ["get", "update"] },
        { apiGroups: [""], resources: ["configmaps"], resourceNames: [name], verbs: ["get"] },
      ],
    });
    addObject<KubeRoleBindingProps>(this, props, [`${rbac}/v1`, "RoleBinding"], {
      metadata: { name, namespace, ...access },
      roleRef: { apiGroup: rbac, kind: "Role", name },
      subjects,
    });

    const { coresPerReplica = 256, nodesPerReplica = 16, min = 2, max, image } = props.autoscaler ?? {};
    this.configMap = addObject<KubeConfigMapProps>(this, props, ["v1", "ConfigMap"], {
      metadata: { name, namespace, labels, annotations: wave("config") },
      data: {
        linear: JSON.stringify({
          coresPerReplica,
          nodesPerReplica,
          min,
          ...(max === undefined ? {} : { max }),
          preventSinglePointFailure: min > 1,
          includeUnschedulableNodes: true,
        }),
      },
    });
    this.deployment = addObject<KubeDeploymentProps>(this, props, ["apps/v1", "Deployment"], {
      metadata: { name, namespace, labels, annotations: wave("nodeLocalDns") },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: extras(props, { labels }),
          spec: {
            priorityClassName: "system-cluster-critical",
            serviceAccountName: name,
            securityContext: {
              runAsNonRoot: true,
              runAsUser: 65534,
              runAsGroup: 65534,
              seccompProfile: { type: "RuntimeDefault" },
            },
            ...placement(props.nodePlacement ?? {}, []),
            containers: [
              {
                name: "autoscaler",
                image: image ?? defaultImage("autoscaler", props.imageRegistry),
                imagePullPolicy: "IfNotPresent",
                command: ["/cluster-proportional-autoscaler"],
                args: [
                  `--namespace=${namespace}`,
                  `--configmap=${name}`,
                  `--target=${props.target}`,
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
}
