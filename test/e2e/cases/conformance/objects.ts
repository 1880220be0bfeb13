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
  const both = { clusterIPs: [webIP, webIPv6], ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv4", "IPv6"] };
  const families = { clusterIP: webIP, ...(dualStack && both) };
  const headless = { clusterIP: "None" };
  const peer = { app: "peer" };
  const never = { app: "never" };
  return [
    namespaceObject(namespace),
    pod({ name: "client", node: "node-2" }),
    pod({ name: "host-client", node: "node-1", spec: { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" } }),

    service({ namespace, name: "web", selector: { app: "web" }, spec: families }),
    service({ namespace, name: "1web", spec: { clusterIP: digitFirstIP } }),
    service({ namespace, name: "peers", selector: peer, spec: headless }),
    ...(["alpha", "beta"] as const).map((hostname, i) => {
      const name = `peer-${hostname.charAt(0)}`;
      return pod({ namespace, name, labels: peer, node: `node-${i + 1}`, spec: { hostname, subdomain: "peers" } });
    }),

    service({ namespace, name: "unready", selector: never, spec: headless }),
    service({ namespace, name: "anyway", selector: never, spec: { ...headless, publishNotReadyAddresses: true } }),
    pod({ namespace, name: "never", labels: never, node: "node-1", unready: true }),

    externalName("foo", `bar.${zone}`, namespace),
    externalName("bar", `web.${zone}`, namespace),
    externalName("outside", "www.outside.test", namespace),
  ];
}
