import { readState } from "../../../src/live/read-state";
import { Fleet } from "../../../src/live/take-over/fleet";
import { type Note, takeOver } from "../../../src/live/take-over/take-over";

export const inKubeSystem = <F extends object>(kind: string, name: string, fields: F, metadata: object = {}) => ({
  kind,
  metadata: { name, namespace: "kube-system", ...metadata },
  ...fields,
});

const ports = [{ port: 53, targetPort: 53 }, { port: 9153 }];
const serviceSpec = { clusterIPs: ["10.96.0.10"], selector: { "k8s-app": "kube-dns" }, ports };
export const service = inKubeSystem("Service", "kube-dns", { spec: serviceSpec });
export const configMap = (name: string, data: object) => inKubeSystem("ConfigMap", name, { data });
export const kubeProxy = (mode = "") =>
  configMap("kube-proxy", { "config.conf": `kind: KubeProxyConfiguration\nmode: "${mode}"\n` });
export const node = (version = "v1.34.1", metadata: object = {}) => ({
  kind: "Node",
  metadata: { name: "a", ...metadata },
  status: { nodeInfo: { kubeletVersion: version } },
});

const labels = { "k8s-app": "kube-dns" };
const volume = (name: string) => ({ name, configMap: { name, optional: name !== "coredns" } });

/** kubeadm's, with other fields, and more volumes from ConfigMaps. */
export function coreDns(fields: object = {}, metadata: object = {}, volumes: { readonly [name: string]: string } = {}) {
  const mounts = { coredns: "/etc/coredns", ...volumes };
  const spec = {
    dnsPolicy: "Default",
    nodeSelector: { "kubernetes.io/os": "linux" },
    priorityClassName: "system-cluster-critical",
    restartPolicy: "Always",
    schedulerName: "default-scheduler",
    securityContext: {},
    serviceAccount: "coredns",
    serviceAccountName: "coredns",
    terminationGracePeriodSeconds: 30,
    containers: [
      {
        name: "coredns",
        image: "registry.k8s.io/coredns/coredns:v1.14.7",
        args: ["-conf", "/etc/coredns/Corefile"],
        resources: { limits: { memory: "170Mi" }, requests: { cpu: "100m", memory: "70Mi" } },
        volumeMounts: Object.entries(mounts).map(([name, mountPath]) => ({ name, mountPath })),
      },
    ],
    volumes: Object.keys(mounts).map(volume),
    ...fields,
  };
  const of = { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } };
  return inKubeSystem("Deployment", "coredns", { spec: of }, metadata);
}

export const kubernetes = `kubernetes cluster.local in-addr.arpa ip6.arpa {
    pods insecure
    fallthrough in-addr.arpa ip6.arpa
    ttl 30
  }`;

/** kubeadm's, with more lines, upstreams of its own, and more after it. */
export const corefile = (lines = "", to = "/etc/resolv.conf", after = "") => `.:53 {
  ${lines}
  errors
  health {
    lameduck 5s
  }
  ready
  ${kubernetes}
  prometheus :9153
  forward . ${to} {
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
${after}`;

/** A cluster of kubeadm with this Corefile. */
export function kubeadm(Corefile = corefile(), mode = "", dns = coreDns()) {
  return [service, node(), kubeProxy(mode), dns, configMap("coredns", { Corefile })];
}

/** Kubernetes' node-local-dns, or another of its kind. */
export function nodeCache(outside: string, name = "node-local-dns", localip = "169.254.20.10,10.96.0.10") {
  const text = `cluster.local:53 in-addr.arpa:53 ip6.arpa:53 {
  cache {
    success 9984 30
    denial 9984 5
  }
  bind ${localip.replace(",", " ")}
  forward . __PILLAR__CLUSTER__DNS__ {
    force_tcp
  }
}
.:53 {
  cache 30
  ${outside}
}
`;
  const selector = { "k8s-app": "node-local-dns" };
  const mount = (of: string, mountPath: string) => ({ name: of, mountPath });
  const container = {
    name: "node-cache",
    image: "registry.k8s.io/dns/k8s-dns-node-cache:1.25.0",
    args: ["-localip", localip, "-conf", "/etc/Corefile"],
    volumeMounts: [mount("config", "/etc/coredns"), mount("kube-dns", "/etc/kube-dns")],
  };
  const volumes = [
    { name: "config", configMap: { name, items: [{ key: "Corefile", path: "Corefile.base" }] } },
    { name: "kube-dns", configMap: { name: "kube-dns", optional: true } },
  ];
  const template = { metadata: { labels: selector }, spec: { hostNetwork: true, containers: [container], volumes } };
  return [
    inKubeSystem("DaemonSet", name, { spec: { selector: { matchLabels: selector }, template } }),
    configMap(name, { Corefile: text }),
  ];
}

/** What a cluster's objects become, and the notes of each topic; without what all of kubeadm's say. */
export function taken(items: readonly object[], shared: { readonly [key: string]: unknown } = {}) {
  const { description, reasons, notes } = takeOver(readState(JSON.stringify({ items })), new Fleet(shared));
  const of = (topic: Note["topic"]) =>
    notes.filter((note) => note.topic === topic).map(({ what }) => what.replaceAll("kube-system/", ""));
  const { clusterDNS, kubernetesVersion, ...own } = description;
  const [inherited, different, past, todo] = (["inherited", "different", "past", "todo"] as const).map(of) as [
    string[],
    string[],
    string[],
    string[],
  ];
  const always = { clusterDNS, kubernetesVersion };
  return { description, own, reasons, inherited, new: of("new"), different, past, todo, always };
}

/** kubeadm's objects but those of a kind, or one of them. */
export const without = (kind: string, name?: string) =>
  kubeadm().filter((each) => each.kind !== kind || (name !== undefined && each.metadata.name !== name));

export const cilium = (data: object = {}) => configMap("cilium-config", { "kube-proxy-replacement": "true", ...data });
