import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "../bundle";
import { addresses, type Network } from "../kernel/network";
import { tool } from "../tools";
import { until } from "../until";

const port = 6443;

/** Starts kube-proxy in ipvs mode on the node, with the cluster DNS as its only Service; resolves once that is served. */
export async function startKubeProxy(network: Network): Promise<void> {
  const { node, families, folder } = network;
  const objects = join(folder, "objects.json");
  writeFileSync(objects, JSON.stringify(objectsOf(network)));
  const api = node.start([process.execPath, bundle("rig/vm/kube-api.ts"), objects, String(port)]);
  if (api.stdout !== null) await Promise.race([once(api.stdout, "data"), once(api, "exit")]);

  const config = join(folder, "kube-proxy.json");
  writeFileSync(config, JSON.stringify(kubeProxyConfig));
  const proxy = node.start([
    tool("kubernetes", "kube-proxy"),
    `--config=${config}`,
    `--master=http://127.0.0.1:${port}`,
    `--hostname-override=${nodeName}`,
  ]);
  let log = "";
  proxy.stderr?.on("data", (chunk: Buffer) => (log += chunk.toString()));
  // A virtual server for each protocol and family, each with the DNS pod behind it; then it writes its rules.
  const servers = () => node.run("cat", ["/proc/net/ip_vs"]).match(/^ {2}-> \S+:0035 /gm)?.length;
  const rules = (save: string) => node.run(save, ["-t", "nat"]).includes("CLUSTER-IP");
  const isServed = async () => servers() === 2 * families.length && rules("iptables-save") && rules("ip6tables-save");
  await until("kube-proxy's virtual servers and rules", 300, isServed, 250, () => log);
}

const nodeName = "node-1";

const kubeProxyConfig = {
  apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
  kind: "KubeProxyConfiguration",
  mode: "ipvs",
  clientConnection: { contentType: "application/json", acceptContentTypes: "application/json" },
  // these settings belong to the kernel, not to a namespace
  conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
};

function objectsOf({ families }: Network): Readonly<Record<string, object[]>> {
  const ports = [
    { name: "dns", port: 53, protocol: "UDP" },
    { name: "dns-tcp", port: 53, protocol: "TCP" },
  ];
  const metadata = (name: string) => ({ name, namespace: "kube-system", uid: name, resourceVersion: "1" });
  const clusterIPs = families.map((family) => addresses[family].service);
  return {
    nodes: [
      {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: nodeName, uid: nodeName, resourceVersion: "1" },
        status: { addresses: families.map((family) => ({ type: "InternalIP", address: addresses[family].node })) },
      },
    ],
    services: [
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: metadata("kube-dns"),
        spec: { type: "ClusterIP", clusterIP: clusterIPs[0], clusterIPs, ipFamilies: families, ports },
      },
    ],
    endpointslices: families.map((family) => ({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        ...metadata(`kube-dns-${family.toLowerCase()}`),
        labels: { "kubernetes.io/service-name": "kube-dns" },
      },
      addressType: family,
      ports,
      endpoints: [{ addresses: [addresses[family].dns], conditions: { ready: true }, nodeName: "node-2" }],
    })),
  };
}
