import { writeFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { controlPlane, serviceRanges } from "../../../rig/cluster/addresses";
import type { Cluster } from "../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { tool, toolsVersion } from "../../../rig/tools";
import { namespaceObject } from "../../../rig/cluster/objects";
import type { DnsServiceOptions } from "../../../src/model/props/dns-service";
import { spread } from "../../corefile-text";

/** Installs CoreDNS with kubeadm itself, as `kubeadm init` does, and waits until it runs. */
export async function installByKubeadm(cluster: Cluster): Promise<void> {
  await addon(cluster, "coredns", "--kubeconfig", cluster.names.file("pki", "admin.conf"));
  await cluster.kubectl.rolledOut("deployment", "coredns", "kube-system");
}

/** The ConfigMap of kubeadm's kube-proxy, which the rig runs without one. */
export async function kubeProxyConfiguration(cluster: Cluster): Promise<KubernetesObject> {
  const manifest = await addon(cluster, "kube-proxy", "--print-manifest");
  const found = parseAllDocuments(manifest)
    .map((document) => document.toJS() as KubernetesObject | null)
    .find((object) => object?.kind === "ConfigMap");
  if (!found) throw new Error(`kubeadm prints no ConfigMap: ${manifest}`);
  return found;
}

function addon(cluster: Cluster, ...args: readonly string[]): Promise<string> {
  const config = cluster.names.file("kubeadm.json");
  writeFileSync(config, configuration);
  const kubeadm = [tool("kubernetes", "kubeadm"), "init", "phase", "addon"];
  return cluster.controlPlane.exec([...kubeadm, ...args, "--config", config]);
}

const apiVersion = "kubeadm.k8s.io/v1beta4";
// Versions are given; otherwise kubeadm looks them up online.
const configuration = [
  {
    apiVersion,
    kind: "ClusterConfiguration",
    kubernetesVersion: toolsVersion("kubernetes"),
    networking: { serviceSubnet: serviceRanges.ipv4, dnsDomain: "cluster.local" },
    dns: { imageRepository: "registry.k8s.io/coredns", imageTag: toolsVersion("coredns") },
  },
  {
    apiVersion,
    kind: "InitConfiguration",
    localAPIEndpoint: { advertiseAddress: controlPlane.ipv4.address },
    nodeRegistration: { name: "node-1", criSocket: "unix:///run/containerd/containerd.sock" },
  },
]
  .map((document) => JSON.stringify(document))
  .join("\n---\n");

const openShift = { name: "dns-default", namespace: "openshift-dns" };
const ofOpenShift = { "dns.operator.openshift.io/daemonset-dns": "default" };
const targetPort = 5353;

/** As a cluster file describes it. */
export const openShiftService: DnsServiceOptions = { ...openShift, selector: ofOpenShift, targetPort };

/** A CoreDNS with the place, names and ports of the one that OpenShift's operator makes. */
export async function installOpenShiftDns({ kubectl }: Cluster, clusterIP: string): Promise<void> {
  const spec = { serviceAccountName: openShift.name, tolerations: [{ operator: "Exists" }] };
  const container = {
    ports: [
      { name: "dns", containerPort: targetPort, protocol: "UDP" },
      { name: "dns-tcp", containerPort: targetPort, protocol: "TCP" },
    ],
    readinessProbe: { httpGet: { path: "/ready", port: 8181 }, periodSeconds: 1 },
  };
  const read = { "": ["services", "pods", "namespaces"], "discovery.k8s.io": ["endpointslices"] };
  await kubectl.apply([
    namespaceObject(openShift.namespace),
    ...readerOf(openShift, read, ["list", "watch"]),
    ...coreDnsWith(openShiftCorefile, { ...openShift, kind: "DaemonSet", labels: ofOpenShift, spec }, container),
    dnsService(openShift, clusterIP, ofOpenShift, true),
  ]);
  await kubectl.rolledOut("daemonset", openShift.name, openShift.namespace);
}

const openShiftCorefile = spread(`.:${targetPort} { errors; ready
  kubernetes cluster.local in-addr.arpa ip6.arpa { pods insecure; fallthrough in-addr.arpa ip6.arpa }
  forward . /etc/resolv.conf; cache 900 }
`);

// In kube-system unless told otherwise.

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
