import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { externalName, namespaceObject, pod, service } from "../../../../rig/cluster/objects";

/** What the names under test resolve to, in a namespace of its own. */
export const namespace = "names";
export const zone = `${namespace}.svc.cluster.local`;

/** Fixed addresses, so that expectations can name them. */
export const webIP = "10.96.77.1";
export const digitFirstIP = "10.96.77.4";
export const webIPv6 = "fd00:96::7701";

export function objects(dualStack: boolean): KubernetesObject[] {
  const families = dualStack
    ? {
        clusterIP: webIP,
        clusterIPs: [webIP, webIPv6],
        ipFamilyPolicy: "RequireDualStack",
        ipFamilies: ["IPv4", "IPv6"],
      }
    : { clusterIP: webIP };
  const headless = { clusterIP: "None" };
  const peer = { app: "peer" };
  const never = { app: "never" };
  const inNamespace = { namespace };
  return [
    namespaceObject(namespace),
    pod({ name: "client", node: "node-2" }),
    pod({ name: "host-client", node: "node-1", spec: { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" } }),

    service({ ...inNamespace, name: "web", selector: { app: "web" }, spec: families }),
    service({ ...inNamespace, name: "1web", spec: { clusterIP: digitFirstIP } }),
    service({ ...inNamespace, name: "peers", selector: peer, spec: headless }),
    pod({
      ...inNamespace,
      name: "peer-a",
      labels: peer,
      node: "node-1",
      spec: { hostname: "alpha", subdomain: "peers" },
    }),
    pod({
      ...inNamespace,
      name: "peer-b",
      labels: peer,
      node: "node-2",
      spec: { hostname: "beta", subdomain: "peers" },
    }),

    service({ ...inNamespace, name: "unready", selector: never, spec: headless }),
    service({ ...inNamespace, name: "anyway", selector: never, spec: { ...headless, publishNotReadyAddresses: true } }),
    pod({ ...inNamespace, name: "never", labels: never, node: "node-1", unready: true }),

    externalName("foo", `bar.${zone}`, namespace),
    externalName("bar", `web.${zone}`, namespace),
    externalName("outside", "www.outside.test", namespace),
  ];
}
