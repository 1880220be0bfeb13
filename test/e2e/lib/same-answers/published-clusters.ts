import {
  configMap,
  corefile,
  inKubeSystem,
  kubeProxy,
  kubernetes,
  node,
  service,
} from "../../../live/take-over/objects";

/** A cluster with a configuration that people have published, reduced to what decides answers. */
export interface PublishedCluster {
  /** As docs/from-a-cluster.md has it, which says why answers are others, or why they are not. */
  readonly what: string;
  /** The Corefile, or the files of ConfigMap `coredns`; Corefiles as `spread` reads them. */
  readonly data: string | { readonly [file: string]: string };
  /** @default 10.96.0.10 */
  readonly clusterIP?: string;
  /** Of CoreDNS's Deployment: they show its owner. */
  readonly labels?: { readonly [label: string]: string };
  /** In place of all others. */
  readonly objects?: readonly object[];
  /** Objects beside these. A kube-proxy is there unless Cilium is. */
  readonly beside?: readonly object[];
  /** ConfigMap `coredns-custom`, which CoreDNS mounts below its own. */
  readonly custom?: { readonly [file: string]: string };
  readonly cache?: { readonly name: string; readonly localip: string; readonly corefile: string };
  /** Names with another answer for pods afterwards, and those kept for another time. */
  readonly differs?: RegExp;
  readonly lasts?: RegExp;
  /** Asked with every change; others by night. */
  readonly isOfCI?: true;
}

// What kubeadm's have in common.
const start = "errors; health { lameduck 5s }; ready";
const fromNode = "forward . /etc/resolv.conf { max_concurrent 1000 }";
const end = "cache 30; loop; reload; loadbalance";
const withoutTtl = kubernetes.replace("\n    ttl 30", "");
const main = (more = end, forward = fromNode) =>
  `.:53 { ${start}; ${kubernetes}; prometheus :9153; ${forward}; ${more} }\n`;
const notOfCluster =
  "cache 30 { disable success cluster.local; disable denial cluster.local }; loop; reload; loadbalance";

const pillar = "__PILLAR__CLUSTER__DNS__";

/** The cache of cluster/addons/dns/nodelocaldns and kubespray, block by block. */
function nodeCache(name: string, localip: string, outside: string, asks = pillar, health = "169.254.20.10:8080") {
  const block = (zone: string, keeps: string, more: string) =>
    `${zone}:53 { errors; cache ${keeps}; reload; loop; bind ${localip.replace(",", " ")}; ${more}; prometheus :9253 }\n`;
  const forward = `forward . ${asks} { force_tcp }`;
  const inside = block("cluster.local", "{ success 9984 30; denial 9984 5 }", `${forward}; health ${health}`);
  const reverse = ["in-addr.arpa", "ip6.arpa"].map((zone) => block(zone, "30", forward));
  return { name, localip, corefile: [inside, ...reverse, block(".", "30", outside)].join("") };
}

/** The same in two blocks. */
function nodeLocalDns(localip: string, outside: string, cache = "success 9984 30; denial 9984 30") {
  const block = (zones: string, forward: string) =>
    `${zones} { cache { ${cache} }; bind ${localip.replace(",", " ")}; ${forward} }\n`;
  const zones = "cluster.local:53 in-addr.arpa:53 ip6.arpa:53";
  const inside = block(zones, "forward . __PILLAR__CLUSTER__DNS__ { force_tcp }");
  return { name: "node-local-dns", localip, corefile: inside + block(".:53", outside) };
}

const ofAddons = { "addonmanager.kubernetes.io/mode": "Reconcile" };
const ofEks = { "eks.amazonaws.com/component": "coredns" };
const ofK3s = { "objectset.rio.cattle.io/hash": "bce283298811743a0386ab510f2f67ef74240c57" };
const ofRke2 = { clusterIP: "10.43.0.10", labels: { "meta.helm.sh/release-name": "rke2-coredns" } };
const ciliumConfig = (data: object) => configMap("cilium-config", { "kube-proxy-replacement": "true", ...data });
const outsideNames = /^(?!.*\.cluster\.local$)/;
const kubeDns = { "k8s-app": "kube-dns" };

/** By what they are. */
const published: { readonly [what: string]: string | Omit<PublishedCluster, "what"> } = {
  "kubeadm 1.34": main(notOfCluster),
  "kubeadm, `rewrite` of a name, `log`": main(
    `${end}; log; rewrite name shop.k8.local shop-service.default.svc.cluster.local`,
  ),
  "kubeadm of 2018, `rewrite` by expression": `.:53 { errors; health; rewrite name regex (.*)\\.my\\.domain {1}.default.svc.cluster.local
      kubernetes cluster.local in-addr.arpa ip6.arpa { pods insecure; upstream; fallthrough in-addr.arpa ip6.arpa }
      prometheus :9153; proxy . /etc/resolv.conf; ${end} }`,
  "kubeadm, `rewrite` with answers": {
    data: `.:53 { log; errors; health
      rewrite stop { name regex (.*)\\.my\\.domain\\.$ {1}.services-stage.svc.cluster.local
        answer name (.*)\\.services-stage\\.svc\\.cluster\\.local\\.$ {1}.my.domain }
      ready
      # rewrite name nats.my.domain nats.services-stage.svc.cluster.local
      kubernetes cluster.local in-addr.arpa ip6.arpa {
        pods insecure; upstream /etc/resolv.conf; fallthrough in-addr.arpa ip6.arpa }
      prometheus :9153; forward . /etc/resolv.conf { prefer_udp }; ${end} }`,
    isOfCI: true,
  },
  "kubeadm, a block with plugin `alternate`": {
    data: `.:53 { errors; ready; health; ${withoutTtl}; prometheus :9153; forward . /etc/resolv.conf; ${end} }
    dev.example.cloud:53 { kubernetes example.cloud; k8s_external example.cloud { ttl 1200 }
      alternate NXDOMAIN . 147.1.1.101 { policy sequential } }`,
    differs: /(^|\.)dev\.example\.cloud$/,
  },
  "kubeadm, `template` for AAAA, no `forward`": {
    data: `.:53 { errors; health; template ANY AAAA . { rcode NXDOMAIN; fallthrough }
      hosts { 172.16.17.12 www.example.com; fallthrough }
      kubernetes cluster.local in-addr.arpa ip6.arpa { pods insecure; upstream; fallthrough in-addr.arpa ip6.arpa } }`,
    differs: /^(?!.*cluster\.local$)/,
    lasts: /^(www\.example\.com|12\.17\.16\.172\.in-addr\.arpa|dns-version\.cluster\.local)$/,
  },
  "kind, `dns64`": {
    data: main(`${notOfCluster}; dns64 { translate_all }`, fromNode.replace(/\/\S+/, "[64:ff9b::8.8.8.8]:53")),
    isOfCI: true,
  },
  // Without `namespaces` of `kubernetes`: the test has no pods elsewhere.
  "kubeadm, `log` with `metadata`": `.:53 { errors; log . "{remote} {/kubernetes/client-namespace} {name}"; metadata; health; ready
      kubernetes cluster.local in-addr.arpa ip6.arpa {
        pods verified; namespaces kube-system default; fallthrough in-addr.arpa ip6.arpa }
      prometheus :9153; forward . /etc/resolv.conf; ${end} }`,
  "kubeadm, Submariner's Lighthouse": {
    data: `#lighthouse-start AUTO-GENERATED SECTION. DO NOT EDIT
    clusterset.local:53 { forward . 10.234.25.42 }
    supercluster.local:53 { forward . 10.234.25.42 }
    #lighthouse-end
    ${main()}`,
    lasts: /(^|\.)(clusterset|supercluster)\.local$/,
  },
  "KubeKey, blocks with `rewrite` and `cache`": {
    data: `example.com example.io:1053 { log; errors; loadbalance; cache 5; reload; forward . 1.1.1.1 2.2.2.2 }
    mycompany.local:4453 { log; errors; loadbalance; cache 10; reload; forward . 192.168.0.53 }
    mydomain.tld { log; errors; loadbalance; cache 5; reload; forward . 10.233.0.3
      rewrite name substring website.tld website.namespace.svc.cluster.local }
    .:53 { ${start}; whoami; log
      rewrite stop { name regex (.*)\\.my\\.domain {1}.svc.cluster.local
        answer name (.*)\\.svc\\.cluster\\.local {1}.my.domain }
      ${kubernetes}; prometheus :9153; forward . 8.8.8.8 1.2.4.8 114.114.114.114 { prefer_udp; max_concurrent 1000 }
      ${end} }`,
    isOfCI: true,
  },
  "kubeadm, `coredns-custom` with `hosts`": {
    data: `${main(`${end}; import custom/*.override`)}import custom/*.server`,
    lasts: /(^|\.)corp\.example$/,
    isOfCI: true,
    custom: {
      "mcs-bookstore.server": `bookstore.bookstore.svc.clusterset.local:53 { errors; cache 30
        hosts { 10.3.3.3 bookstore.bookstore.svc.clusterset.local; fallthrough } }`,
      "stub.server": `corp.example:53 { forward . 10.1.2.53 }`,
    },
  },
  "kubeadm, a zone below the cluster domain": {
    data: `${main()}orders.svc.cluster.local { forward . 192.0.2.21:30053 192.0.2.22:30053 }`,
    lasts: /(^|\.)orders\.svc\.cluster\.local$/,
  },
  "kubeadm, Istio, a block with `log`": `${main()}global:53 { log; errors; cache 30; forward . 10.96.77.7:53 }`,
  "kubeadm, `file` that is not among the objects": {
    data: `.:53 { cache 30; errors; health; ready; kubernetes cluster.local { pods insecure }; log stdout
      file /etc/coredns/example.db example.org; forward . /etc/resolv.conf }`,
    differs: /(^|\.)(example\.org|arpa)$/,
  },
  "Scaleway, `coredns-custom`": {
    data: {
      empty: "# empty to skip coredns warnings\n",
      Corefile: `
      .:53 { ${start}; ${withoutTtl}; prometheus :9153; forward . /etc/resolv.conf
        cache 300; loop; reload; loadbalance; import custom/*.override }
      import custom/*.server`,
    },
    lasts: /(^|\.)corp\.example$|^dns-version\.cluster\.local$/,
    clusterIP: "10.32.0.10",
    labels: { "addonmanager.kubernetes.io/mode": "EnsureExists", "k8s.scw.cloud/system": "coredns" },
    custom: { "corp.server": `corp.example:53 { forward . 10.1.2.53 }` },
  },
  "kubeadm, TLS with several names": {
    data: main(end, "forward . tls://1.1.1.1%cloudflare-dns.com tls://9.9.9.9%dns.quad9.net"),
    differs: /(^|\.)(outside\.example|arpa)$/,
  },
  "kubeadm, a block that asks another port of its own": {
    data: `${main()}corp.example:53 { errors; cache 30; forward . 127.0.0.1:5353 }
    corp.example:5353 { hosts { 10.9.9.9 a.corp.example } }`,
    differs: /(^|\.)corp\.example$/,
  },
  "minikube, `hosts`": main(`${end}; log; hosts { 192.168.49.1 host.minikube.internal; fallthrough }`),
  "kubeadm, a node cache with `hosts`": {
    data: main(),
    differs: /(^|\.)arpa$/,
    isOfCI: true,
    cache: nodeCache(
      "node-local-dns",
      "169.254.20.10,10.96.0.10",
      "forward . 8.8.8.8 8.8.4.4; hosts { 192.168.1.2 host.example.com; fallthrough }",
    ),
  },
  "kubeadm, a node cache with `rewrite`": {
    data: main().replace("cluster.local in-addr", "k8s.cluster in-addr"),
    differs: /\.git\.my\.example$|(^|\.)arpa$/,
    cache: {
      name: "nodelocaldns",
      localip: "169.254.25.10",
      corefile: `
      k8s.cluster:53 git.my.example:53 { errors; rewrite name git.my.example git.gogs.svc.k8s.cluster
        cache { success 9984 30; denial 9984 5 }; reload; loop; bind 169.254.25.10; forward . 10.96.0.10 { force_tcp }
        prometheus :9253; health 169.254.25.10:9254 }
      .:53 { errors; cache 30; reload; loop; bind 169.254.25.10; forward . 172.16.0.162 172.16.0.163
        prometheus :9253 }`,
    },
  },
  "AKS, `coredns-custom`": {
    data: `.:53 { errors; ready; health { lameduck 5s }; ${kubernetes}; prometheus :9153; forward . /etc/resolv.conf; ${end}
      import custom/*.override
      template ANY ANY internal.cloudapp.net {
        match "^(?:[^.]+\\.){4,}internal\\.cloudapp\\.net\\.$"
        rcode NXDOMAIN; fallthrough }
      template ANY ANY reddog.microsoft.com { rcode NXDOMAIN } }
    import custom/*.server`,
    lasts: /(^|\.)corp\.example\.com$/,
    isOfCI: true,
    clusterIP: "10.0.0.10",
    labels: ofAddons,
    custom: {
      "corp.server": `corp.example.com:53 { errors; cache 10; forward . 10.1.2.53 10.1.2.54 }`,
      "log.override": `log`,
      "hosts.override": `hosts { 10.9.8.7 legacy.example.com; fallthrough }`,
    },
  },
  "EKS, `rewrite type`": {
    data: `.:53 { rewrite stop type AAAA A; errors; health
      kubernetes cluster.local in-addr.arpa { pods insecure; fallthrough in-addr.arpa }
      forward . /etc/resolv.conf { except local }; prometheus :9153; cache 30; reload; loop; loadbalance
      log . "{remote} {type} {name} {class} {size} {rcode} {duration}" }`,
    clusterIP: "172.20.0.10",
    labels: ofEks,
  },
  "k3s, `coredns-custom`": {
    data: {
      Corefile: `
      .:53 { errors; health; ready; ${withoutTtl}; hosts /etc/coredns/NodeHosts { ttl 60; reload 15s; fallthrough }
        prometheus :9153; forward . /etc/resolv.conf; ${end}; import /etc/coredns/custom/*.override }
      import /etc/coredns/custom/*.server`,
      NodeHosts: "192.0.2.10 node-0\n192.0.2.11 node-1",
    },
    lasts: /(^|\.)why\.local$/,
    clusterIP: "10.43.0.10",
    labels: ofK3s,
    custom: { "custom.server": `why.local { forward . 127.0.0.1 }`, "log.override": `log` },
  },
  "kOps, IPv6": {
    data: `.:53 { ${start}; ${kubernetes.replace("local", "local.")}
      hosts /rootfs/etc/hosts k8s.local internal.k8s.local { ttl 30; fallthrough }; prometheus :9153
      forward . fd00:ec2::253 { max_concurrent 1000 }; ${end}; dns64 }`,
    clusterIP: "fd12:3456:789a::a",
    labels: { "app.kubernetes.io/managed-by": "kops" },
  },
  "kubespray, its node cache": {
    data: {
      Corefile: `
      corp.example.com 10.in-addr.arpa { log; errors { }; rewrite name suffix .corp.example.com .corp.internal
        forward . 10.1.0.53 10.1.0.54; loadbalance; cache 5; reload; hosts /etc/coredns/hosts { fallthrough } }
      .:53 { errors { }; health { lameduck 5s }; rewrite name suffix old.local cluster.local answer auto; ready
        kubernetes cluster.local in-addr.arpa ip6.arpa {
          pods insecure; endpoint_pod_names; fallthrough in-addr.arpa ip6.arpa }
        prometheus :9153; forward . 9.9.9.9 149.112.112.112 { prefer_udp; max_concurrent 1000 }
        k8s_external ext.example.com; ${end}; hosts /etc/coredns/hosts { fallthrough } }`,
      hosts: `192.0.2.77 registry.corp`,
    },
    differs: /(^|\.)corp\.example\.com$/,
    lasts: /(^|\.)10\.in-addr\.arpa$/,
    clusterIP: "10.233.0.3",
    labels: ofAddons,
    cache: nodeCache(
      "nodelocaldns",
      "169.254.25.10",
      "forward . 9.9.9.9 149.112.112.112",
      "10.233.0.3",
      "169.254.25.10:9254",
    ),
  },
  "k3s, hairpin-proxy, a node cache": {
    data: {
      Corefile: `
      .:53 { rewrite name example.com proxy-c24e.hairpin-proxy.svc.cluster.local # Added by hairpin-proxy
        rewrite name www.example.com proxy-c24e.hairpin-proxy.svc.cluster.local # Added by hairpin-proxy
        ${start}; ${kubernetes}; hosts /etc/coredns/NodeHosts { ttl 60; reload 15s; fallthrough }; prometheus :9153
        ${fromNode}; ${end} }`,
      NodeHosts: "192.0.2.10 node-0\n",
    },
    clusterIP: "10.43.0.10",
    labels: ofK3s,
    cache: nodeCache("node-local-dns", "169.254.20.10,10.43.0.10", "forward . __PILLAR__UPSTREAM__SERVERS__"),
  },
  "kubeadm of 2018, `proxy` with servers, `federation`": `.:53 { errors; health; kubernetes cluster.local in-addr.arpa ip6.arpa {
        upstream 8.8.8.8 8.8.4.4; pods insecure; fallthrough in-addr.arpa ip6.arpa }
      federation cluster.local { myfed example.com }; prometheus :9153; proxy . 8.8.8.8 8.8.4.4; ${end} }
    abc.com:53 { errors; cache 30; loop; proxy . 1.2.3.4 }`,
  "kubeadm, `hosts` of a file that is not there": {
    data: {
      Corefile: corefile("hosts /etc/coredns/customdomains.db cluster.local { fallthrough }"),
    },
  },
  "kubeadm, `acl`": {
    data: corefile("acl cluster.local { allow net ::/0 }; acl . { allow net 2001:db8::/29; block }"),
    differs: /./,
  },
  "kubeadm, `multicluster`": corefile()
    .replace("cluster.local in-addr", "cluster.local clusterset.local in-addr")
    .replace("ttl 30", "multicluster clusterset.local; ttl 30"),
  "kubeadm, ConfigMap `kube-dns`, which nobody reads": {
    data: corefile(),
    beside: [configMap("kube-dns", { stubDomains: '{"example.com": ["cluster.local"]}' })],
  },
  "kubeadm with Cilium": {
    data: corefile(),
    lasts: outsideNames,
    beside: [ciliumConfig({ "enable-local-redirect-policy": "false" })],
  },
  "kubeadm, a HorizontalPodAutoscaler": {
    data: corefile(),
    beside: [
      inKubeSystem("HorizontalPodAutoscaler", "coredns", {
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "coredns" },
          minReplicas: 2,
          maxReplicas: 10,
        },
      }),
    ],
  },
  "kubeadm, DNS over HTTPS": { data: corefile("", "https://9.9.9.9"), differs: outsideNames },
  "kubeadm, TLS without a name": {
    data: corefile("", "tls://1.1.1.2 tls://2606:4700:4700::1112"),
    differs: outsideNames,
  },
  "kubeadm, a server by name": { data: corefile("", "dns.corp.example"), differs: outsideNames },
  "kubeadm, systemd-resolved's address": { data: corefile("", "127.0.0.53"), differs: outsideNames },
  "kubeadm, its own Service as the server": { data: corefile("", "10.96.0.10"), differs: outsideNames },
  "kubeadm, no `forward`, `hosts`": {
    data: `.:53 { errors; health; ${kubernetes}; hosts { 172.16.17.12 www.example.com; fallthrough } }`,
    differs: outsideNames,
    lasts: /^www\.example\.com|^dns-version\.|^12\.17\.16\.172\./,
  },
  "Kubernetes' node-local-dns, an address of its own": {
    data: corefile(),
    cache: nodeLocalDns("169.254.0.10,10.254.0.10", "forward . __PILLAR__UPSTREAM__SERVERS__"),
  },
  "Gardener's cache, which asks CoreDNS for all names": {
    data: corefile(),
    cache: nodeLocalDns("169.254.20.10,10.96.0.10", "forward . __PILLAR__CLUSTER__DNS__ { force_tcp }"),
  },
  "EKS, node-local-dns of a Helm chart": {
    data: corefile(),
    clusterIP: "172.20.0.10",
    labels: ofEks,
    cache: nodeLocalDns("169.254.20.25,172.20.0.10", "forward . __PILLAR__UPSTREAM__SERVERS__", "prefetch 3 60s 20%"),
  },
  "EKS, `dns64`": { data: corefile("dns64"), clusterIP: "fd1b:7d1c:53ae::a", labels: ofEks },
  MicroK8s: {
    data: corefile("log . { class error }", "8.8.8.8 8.8.4.4"),
    clusterIP: "10.152.183.10",
    labels: ofAddons,
  },
  "Flux, Cilium, `template` for AAAA, `autopath`": {
    data: corefile(
      `autopath @kubernetes
      template ANY AAAA { rcode NOERROR
        authority "{{ .Zone }} 60 IN SOA ns.dns.cluster.local. hostmaster.cluster.local. 1 60 60 60 60" }`,
    )
      .replace("pods insecure", "pods verified")
      .replace(/cache 30 \{[^}]*\}/, "cache { prefetch 20; serve_stale }"),
    clusterIP: "10.43.0.10",
    labels: { "helm.toolkit.fluxcd.io/name": "coredns" },
    lasts: /^dns-version\./,
    beside: [ciliumConfig({ "enable-local-redirect-policy": "true" })],
  },
  "RKE2, `rewrite type`": { data: corefile("rewrite type AAAA A"), ...ofRke2 },
  "RKE2, a block for Lighthouse that no pod mounts": { data: corefile(), ...ofRke2 },
  DigitalOcean: {
    data: corefile("import custom/*.override", undefined, "import custom/*.server\n").replace(
      /cache 30 \{[^}]*\}/,
      "cache 300 { prefetch 10 }",
    ),
    lasts: /outside\.example$|^dns-version\./,
    clusterIP: "10.245.0.10",
    labels: { "doks.digitalocean.com/managed": "true" },
    beside: [ciliumConfig({})],
  },
  k0s: { data: corefile(), labels: { "k0s.k0sproject.io/stack": "coredns" } },
  kapp: { data: corefile(), labels: { "kapp.k14s.io/app": "1676012345678901234" } },
  "GKE, kube-dns with a stub domain by name": {
    data: {},
    objects: [
      inKubeSystem("Service", "kube-dns", { spec: { ...service.spec, clusterIPs: ["10.8.0.10"] } }),
      node(),
      kubeProxy(),
      inKubeSystem(
        "Deployment",
        "kube-dns",
        {
          spec: {
            selector: { matchLabels: kubeDns },
            template: {
              metadata: { labels: kubeDns },
              spec: { containers: [{ name: "kubedns", image: "gke.gcr.io/k8s-dns-kube-dns:1.24.1" }] },
            },
          },
        },
        { labels: ofAddons },
      ),
      configMap("kube-dns", {
        stubDomains: '{"example.com": ["cluster.local"]}',
        upstreamNameservers: '["8.8.4.4", "8.8.8.8"]',
      }),
    ],
  },
};

export const publishedClusters: readonly PublishedCluster[] = Object.entries(published).map(([what, data]) => ({
  what,
  ...(typeof data === "string" ? { data } : data),
}));
