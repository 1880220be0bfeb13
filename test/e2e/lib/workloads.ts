import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { toolsVersion } from "../../../rig/tools";

// DNS servers and programs that are not ours, in kube-system unless told otherwise.

type Labels = Readonly<Record<string, string>>;

interface Named {
  readonly name: string;
  readonly namespace?: string;
}

interface WorkloadProps extends Named {
  readonly kind?: "Deployment" | "DaemonSet";
  readonly labels: Labels;
  readonly replicas?: number;
  readonly container: object;
  /** More fields of its pods' spec. */
  readonly spec?: object;
}

/** With one container, which has the same name. */
export function workload(props: WorkloadProps): KubernetesObject {
  const { kind = "Deployment", name, namespace = "kube-system", labels, replicas, container, spec } = props;
  const template = { metadata: { labels }, spec: { containers: [{ name, ...container }], ...spec } };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name, namespace, labels },
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
}

/** A CoreDNS with this Corefile. */
export function coreDnsWith(corefile: string, props: Omit<WorkloadProps, "container">, container?: object) {
  const { name, namespace = "kube-system" } = props;
  const volumes = [{ name: "config", configMap: { name } }];
  const runs = {
    image: `registry.k8s.io/coredns/coredns:${toolsVersion("coredns")}`,
    args: ["-conf", "/etc/coredns/Corefile"],
    volumeMounts: [{ name: "config", mountPath: "/etc/coredns", readOnly: true }],
  };
  return [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: { Corefile: corefile } },
    workload({
      ...props,
      container: { ...runs, ...container },
      spec: { dnsPolicy: "Default", volumes, ...props.spec },
    }),
  ];
}

/** @param target The port of its pods, if it is another. By a name that is the Service's own if true. */
export function dnsService(
  { name, namespace = "kube-system" }: Named,
  clusterIP: string,
  selector: Labels,
  target?: true,
) {
  const ports = [
    { name: "dns", protocol: "UDP" },
    { name: "dns-tcp", protocol: "TCP" },
  ].map((port) => ({ ...port, port: 53, ...(target && { targetPort: port.name }) }));
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace }, spec: { clusterIP, selector, ports } };
}

/** A ServiceAccount that may read these of all namespaces, by API group. */
export function readerOf(
  { name, namespace = "kube-system" }: Named,
  resources: Readonly<Record<string, readonly string[]>>,
  verbs: readonly string[],
): KubernetesObject[] {
  const apiGroup = "rbac.authorization.k8s.io";
  const rules = Object.entries(resources).map(([group, of]) => ({ apiGroups: [group], resources: of, verbs }));
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } },
    { apiVersion: `${apiGroup}/v1`, kind: "ClusterRole", metadata: { name }, rules },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup, kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
  ];
}
