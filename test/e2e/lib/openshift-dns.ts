import type { Cluster } from "../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { namespaceObject } from "../../../rig/cluster/objects";
import { toolsVersion } from "../../../rig/tools";
import type { DnsServiceOptions } from "../../../src/model/props/dns-service";

const namespace = "openshift-dns";
const name = "dns-default";
const selector = { "dns.operator.openshift.io/daemonset-dns": "default" };
const targetPort = 5353;

/** As a cluster file describes it. */
export const openShiftService: DnsServiceOptions = { namespace, name, selector, targetPort };

/** A CoreDNS with the place, names and ports of the one that OpenShift's operator makes. */
export async function installOpenShiftDns({ kubectl }: Cluster, clusterIP: string): Promise<void> {
  await kubectl.apply(objects(clusterIP));
  await kubectl.rolledOut("daemonset", name, namespace);
}

const corefile = `.:${targetPort} {
  errors
  ready
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    pods insecure
    fallthrough in-addr.arpa ip6.arpa
  }
  forward . /etc/resolv.conf
  cache 900
}
`;

function objects(clusterIP: string): KubernetesObject[] {
  const metadata = { name, namespace };
  const readers = { name: "openshift-dns" };
  const rbac = "rbac.authorization.k8s.io";
  return [
    namespaceObject(namespace),
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRole",
      metadata: readers,
      rules: [
        { apiGroups: [""], resources: ["services", "pods", "namespaces"], verbs: ["list", "watch"] },
        { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: readers,
      roleRef: { apiGroup: rbac, kind: "ClusterRole", ...readers },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { Corefile: corefile } },
    {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata,
      spec: {
        selector: { matchLabels: selector },
        template: {
          metadata: { labels: selector },
          spec: {
            serviceAccountName: name,
            dnsPolicy: "Default",
            tolerations: [{ operator: "Exists" }],
            containers: [
              {
                name: "dns",
                image: `registry.k8s.io/coredns/coredns:${toolsVersion("coredns")}`,
                args: ["-conf", "/etc/coredns/Corefile"],
                ports: ["UDP", "TCP"].map((protocol, i) => ({
                  name: ["dns", "dns-tcp"][i],
                  containerPort: targetPort,
                  protocol,
                })),
                readinessProbe: { httpGet: { path: "/ready", port: 8181 }, periodSeconds: 1 },
                volumeMounts: [{ name: "config", mountPath: "/etc/coredns", readOnly: true }],
              },
            ],
            volumes: [{ name: "config", configMap: { name } }],
          },
        },
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: {
        clusterIP,
        selector,
        ports: ["UDP", "TCP"].map((protocol, i) => {
          const port = ["dns", "dns-tcp"][i];
          return { name: port, port: 53, protocol, targetPort: port };
        }),
      },
    },
  ];
}
