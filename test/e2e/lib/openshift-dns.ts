import type { Cluster } from "../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { namespaceObject } from "../../../rig/cluster/objects";
import type { DnsServiceOptions } from "../../../src/model/props/dns-service";
import { coreDnsWith, dnsService, readerOf } from "./workloads";

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
  const of = { name, namespace };
  const spec = { serviceAccountName: name, tolerations: [{ operator: "Exists" }] };
  const container = {
    ports: [
      { name: "dns", containerPort: targetPort, protocol: "UDP" },
      { name: "dns-tcp", containerPort: targetPort, protocol: "TCP" },
    ],
    readinessProbe: { httpGet: { path: "/ready", port: 8181 }, periodSeconds: 1 },
  };
  const read = { "": ["services", "pods", "namespaces"], "discovery.k8s.io": ["endpointslices"] };
  return [
    namespaceObject(namespace),
    ...readerOf(of, read, ["list", "watch"]),
    ...coreDnsWith(corefile, { ...of, kind: "DaemonSet", labels: selector, spec }, container),
    dnsService(of, clusterIP, selector, true),
  ];
}
