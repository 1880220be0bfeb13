import { observe } from "../../src/config/observe";
import { readState } from "../../src/live/read-state";

export const inKubeSystem = (kind: string, name: string, fields: object) => ({
  kind,
  metadata: { name, namespace: "kube-system" },
  ...fields,
});
export const service = inKubeSystem("Service", "kube-dns", {
  spec: { clusterIPs: ["10.96.0.10"], ports: [{ port: 53 }, { port: 53 }, { port: 9153 }] },
});
export const node = (version: string) => ({
  kind: "Node",
  metadata: { name: "a" },
  status: { nodeInfo: { kubeletVersion: version } },
});
export const corefile = (text: string, name = "coredns") =>
  inKubeSystem("ConfigMap", name, { data: { Corefile: text } });
/** Of a container and of its pod: the Corefile of a ConfigMap. */
export const corefileMount = {
  args: ["-conf", "/etc/coredns/Corefile"],
  volumeMounts: [{ name: "config-volume", mountPath: "/etc/coredns" }],
};
export const corefileVolume = (name = "coredns") => ({ name: "config-volume", configMap: { name } });
export const kubeProxy = (mode: string) =>
  inKubeSystem("ConfigMap", "kube-proxy", {
    data: { "config.conf": `kind: KubeProxyConfiguration\nmode: "${mode}"\n` },
  });

export function seen(...items: object[]) {
  const { description, unsaid } = observe(readState(JSON.stringify({ kind: "List", items })));
  return { description, unsaid };
}

export const kubeadmCorefile = `.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30 {
       disable success cluster.local
       disable denial cluster.local
    }
    loop
    reload
    loadbalance
}
`;
