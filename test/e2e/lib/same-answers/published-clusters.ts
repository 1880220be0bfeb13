import {
  configMap,
  corefile,
  inKubeSystem,
  kubeProxy,
  kubernetes,
  node,
  serviceSpec,
} from "../../../live/take-over/objects";

/** A cluster with a configuration that people have published, reduced to what decides answers. */
export interface PublishedCluster {
  /** As docs/from-a-cluster.md has it. */
  readonly what: string;
  /** Why answers are others, or why they are not. */
  readonly why?: string;
  /** @default 10.96.0.10 */
  readonly clusterIP?: string;
  /** Of CoreDNS's Deployment: they show its owner. */
  readonly labels?: { readonly [label: string]: string };
  /** In place of all others. */
  readonly objects?: readonly object[];
  /** Objects beside these. A kube-proxy is there unless Cilium is. */
  readonly beside?: readonly object[];
  /** The Corefile, or the files of ConfigMap `coredns`; Corefiles as `spread` reads them. */
  readonly data: string | { readonly [file: string]: string };
  /** ConfigMap `coredns-custom`, which CoreDNS mounts below its own. */
  readonly custom?: { readonly [file: string]: string };
  readonly cache?: { readonly name: string; readonly localip: string; readonly corefile: string };
  /** Names with another answer for pods afterwards, and those kept for another time: what docs say why. */
  readonly differs?: RegExp;
  readonly lasts?: RegExp;
  /** Asked with every change; others by night. */
  readonly isOfCI?: true;
}

const overTCP = "over TCP, a cache with Cilium keeps no names outside";
// What kubeadm's have in common.
const start = "errors; health { lameduck 5s }; ready";
const fromNode = "forward . /etc/resolv.conf { max_concurrent 1000 }";
const end = "cache 30; loop; reload; loadbalance";
const outsideNames = /^(?!.*\.cluster\.local$)/;

/** That of cluster/addons/dns/nodelocaldns. */
function nodeLocalDns(localip: string, outside: string, cache = "success 9984 30; denial 9984 30") {
  const block = (zones: string, forward: string) =>
    `${zones} { cache { ${cache} }; bind ${localip.replace(",", " ")}; ${forward} }\n`;
  const inside = block(
    "cluster.local:53 in-addr.arpa:53 ip6.arpa:53",
    "forward . __PILLAR__CLUSTER__DNS__ { force_tcp }",
  );
  return { name: "node-local-dns", localip, corefile: inside + block(".:53", outside) };
}

export const publishedClusters: readonly PublishedCluster[] = [
  {
    what: "kubeadm 1.34",
    data: `
      .:53 { ${start}; ${kubernetes}; prometheus :9153; ${fromNode}
        cache 30 { disable success cluster.local; disable denial cluster.local }; loop; reload; loadbalance }`,
  },
  {
    what: "kubeadm, `rewrite` of a name, `log`",
    data: `
      .:53 { log; ${start}; rewrite name shop.k8.local shop-service.default.svc.cluster.local; ${kubernetes}
        prometheus :9153; ${fromNode}; ${end} }`,
  },
  {
    what: "kubeadm of 2018, `rewrite` by expression",
    data: `
      .:53 { errors; health; rewrite name regex (.*)\\.my\\.domain {1}.default.svc.cluster.local
        kubernetes cluster.local in-addr.arpa ip6.arpa { pods insecure; upstream; fallthrough in-addr.arpa ip6.arpa }
        prometheus :9153; proxy . /etc/resolv.conf; ${end} }`,
  },
  {
    what: "kubeadm, `rewrite` with answers",
    isOfCI: true,
    data: `
      .:53 { log; errors; health
        rewrite stop {
          name regex (.*)\\.my\\.domain\\.$ {1}.services-stage.svc.cluster.local
          answer name (.*)\\.services-stage\\.svc\\.cluster\\.local\\.$ {1}.my.domain
        }
        ready
        # rewrite name nats.my.domain nats.services-stage.svc.cluster.local
        kubernetes cluster.local in-addr.arpa ip6.arpa {
          pods insecure
          upstream /etc/resolv.conf
          fallthrough in-addr.arpa ip6.arpa
        }
        prometheus :9153; forward . /etc/resolv.conf { prefer_udp }; cache 30; loop; reload; loadbalance }`,
  },
  {
    what: "kubeadm, a block with plugin `alternate`",
    why: "CoreDNS has no such plugin; the block is left out",
    differs: /(^|\.)dev\.example\.cloud$/,
    data: `
      .:53 { errors; ready; health
        kubernetes cluster.local in-addr.arpa ip6.arpa { pods insecure; fallthrough in-addr.arpa ip6.arpa }
        prometheus :9153; forward . /etc/resolv.conf; ${end} }
      dev.example.cloud:53 { kubernetes example.cloud; k8s_external example.cloud { ttl 1200 }
        alternate NXDOMAIN . 147.1.1.101 { policy sequential } }`,
  },
  {
    what: "kubeadm, `template` for AAAA, no `forward`",
    why: "ours asks the node's servers; theirs asked none",
    differs: /^(?!.*cluster\.local$)/,
    lasts: /^(www\.example\.com|12\.17\.16\.172\.in-addr\.arpa|dns-version\.cluster\.local)$/,
    data: `
      .:53 { errors; health; template ANY AAAA . { rcode NXDOMAIN; fallthrough }
        hosts { 172.16.17.12 www.example.com; fallthrough }
        kubernetes cluster.local in-addr.arpa ip6.arpa { pods insecure; upstream; fallthrough in-addr.arpa ip6.arpa } }`,
  },
  {
    what: "kind, `dns64`",
    isOfCI: true,
    data: `
      .:53 { errors; dns64 { translate_all }; health { lameduck 5s }; ready; ${kubernetes}; prometheus :9153
        forward . [64:ff9b::8.8.8.8]:53 { max_concurrent 1000 }
        cache 30 { disable success cluster.local; disable denial cluster.local }; loop; reload; loadbalance }`,
  },
  {
    what: "kubeadm, `log` with `metadata`",
    why: "`namespaces` of `kubernetes` is left out: the test has no pods elsewhere",
    data: `
      .:53 { errors; log . "{remote} {/kubernetes/client-namespace} {name}"; metadata; health; ready
        kubernetes cluster.local in-addr.arpa ip6.arpa {
          pods verified
          namespaces kube-system default
          fallthrough in-addr.arpa ip6.arpa
        }
        prometheus :9153; forward . /etc/resolv.conf; ${end} }`,
  },
  {
    what: "kubeadm, Submariner's Lighthouse",
    why: "theirs had no cache for them",
    lasts: /(^|\.)(clusterset|supercluster)\.local$/,
    data: `
      #lighthouse-start AUTO-GENERATED SECTION. DO NOT EDIT
      clusterset.local:53 { forward . 10.234.25.42 }
      supercluster.local:53 { forward . 10.234.25.42 }
      #lighthouse-end
      .:53 { errors; health { lameduck 5s }; ready
        kubernetes cluster.local in-addr.arpa ip6.arpa { pods insecure; fallthrough in-addr.arpa ip6.arpa; ttl 30 }
        prometheus :9153; forward . /etc/resolv.conf { max_concurrent 1000 }; cache 30; loop; reload; loadbalance }`,
  },
  {
    what: "KubeKey, blocks with `rewrite` and `cache`",
    isOfCI: true,
    data: `
      example.com example.io:1053 { log; errors; loadbalance; cache 5; reload; forward . 1.1.1.1 2.2.2.2 }
      mycompany.local:4453 { log; errors; loadbalance; cache 10; reload; forward . 192.168.0.53 }
      mydomain.tld { log; errors; loadbalance; cache 5; reload; forward . 10.233.0.3
        rewrite name substring website.tld website.namespace.svc.cluster.local }
      .:53 { ${start}; whoami; log
        rewrite stop {
          name regex (.*)\\.my\\.domain {1}.svc.cluster.local
          answer name (.*)\\.svc\\.cluster\\.local {1}.my.domain
        }
        ${kubernetes}; prometheus :9153; forward . 8.8.8.8 1.2.4.8 114.114.114.114 { prefer_udp; max_concurrent 1000 }
        ${end} }`,
  },
  {
    what: "kubeadm, `coredns-custom` with `hosts`",
    why: "theirs had no cache for it",
    lasts: /(^|\.)corp\.example$/,
    isOfCI: true,
    data: `
      .:53 { ${start}; ${kubernetes}; prometheus :9153; ${fromNode}; ${end}; import custom/*.override }
      import custom/*.server`,
    custom: {
      "mcs-bookstore.server": `
      bookstore.bookstore.svc.clusterset.local:53 { errors; cache 30
        hosts { 10.3.3.3 bookstore.bookstore.svc.clusterset.local; fallthrough } }`,
      "stub.server": `corp.example:53 { forward . 10.1.2.53 }`,
    },
  },
  {
    what: "kubeadm, a zone below the cluster domain",
    why: "theirs had no cache for it",
    lasts: /(^|\.)orders\.svc\.cluster\.local$/,
    data: `
      .:53 { ${start}; ${kubernetes}; prometheus :9153; ${fromNode}; ${end} }
      orders.svc.cluster.local { forward . 192.0.2.21:30053 192.0.2.22:30053 }`,
  },
  {
    what: "kubeadm, Istio, a block with `log`",
    data: `
      .:53 { ${start}; ${kubernetes}; prometheus :9153; ${fromNode}; ${end} }
      global:53 { log; errors; cache 30; forward . 10.96.77.7:53 }`,
  },
  {
    what: "kubeadm, `file` that is not among the objects",
    why: "the file was not there to be read; ours answers reverse names of Services",
    differs: /(^|\.)(example\.org|arpa)$/,
    data: `
      .:53 { cache 30; errors; health; ready; kubernetes cluster.local { pods insecure }; log stdout
        file /etc/coredns/example.db example.org; forward . /etc/resolv.conf }`,
  },
  {
    what: "Scaleway, `coredns-custom`",
    why: "theirs had no cache for it",
    lasts: /(^|\.)corp\.example$|^dns-version\.cluster\.local$/,
    clusterIP: "10.32.0.10",
    labels: { "addonmanager.kubernetes.io/mode": "EnsureExists", "k8s.scw.cloud/system": "coredns" },
    data: {
      empty: "# empty to skip coredns warnings\n",
      Corefile: `
      .:53 { ${start}
        kubernetes cluster.local in-addr.arpa ip6.arpa { pods insecure; fallthrough in-addr.arpa ip6.arpa }
        prometheus :9153; forward . /etc/resolv.conf; cache 300; loop; reload; loadbalance; import custom/*.override }
      import custom/*.server`,
    },
    custom: { "corp.server": `corp.example:53 { forward . 10.1.2.53 }` },
  },
  {
    what: "kubeadm, TLS with several names",
    why: "ours has one name for all servers, and asks the node's instead",
    differs: /(^|\.)(outside\.example|arpa)$/,
    data: `
      .:53 { ${start}; ${kubernetes}; prometheus :9153
        forward . tls://1.1.1.1%cloudflare-dns.com tls://9.9.9.9%dns.quad9.net; ${end} }`,
  },
  {
    what: "kubeadm, a block that asks another port of its own",
    why: "a pod must not ask itself",
    differs: /(^|\.)corp\.example$/,
    data: `
      .:53 { ${start}; ${kubernetes}; prometheus :9153; ${fromNode}; ${end} }
      corp.example:53 { errors; cache 30; forward . 127.0.0.1:5353 }
      corp.example:5353 { hosts { 10.9.9.9 a.corp.example } }`,
  },
  {
    what: "minikube, `hosts`",
    data: `
      .:53 { log; ${start}; ${kubernetes}; prometheus :9153; hosts { 192.168.49.1 host.minikube.internal; fallthrough }
        ${fromNode}; ${end} }`,
  },
  {
    what: "kubeadm, a node cache with `hosts`",
    why: "asked at the cache's servers, as all other names",
    differs: /(^|\.)arpa$/,
    isOfCI: true,
    data: `.:53 { ${start}; ${kubernetes}; prometheus :9153; ${fromNode}; ${end} }`,
    cache: {
      name: "node-local-dns",
      localip: "169.254.20.10,10.96.0.10",
      corefile: `
      cluster.local:53 { errors; cache { success 9984 30; denial 9984 5 }; reload; loop; bind 169.254.20.10 10.96.0.10
        forward . __PILLAR__CLUSTER__DNS__ { force_tcp }; prometheus :9253; health 169.254.20.10:8080 }
      in-addr.arpa:53 { errors; cache 30; reload; loop; bind 169.254.20.10 10.96.0.10
        forward . __PILLAR__CLUSTER__DNS__ { force_tcp }; prometheus :9253 }
      ip6.arpa:53 { errors; cache 30; reload; loop; bind 169.254.20.10 10.96.0.10
        forward . __PILLAR__CLUSTER__DNS__ { force_tcp }; prometheus :9253 }
      .:53 { errors; cache 30; reload; loop; bind 169.254.20.10 10.96.0.10; forward . 8.8.8.8 8.8.4.4
        hosts { 192.168.1.2 host.example.com; fallthrough }; prometheus :9253 }`,
    },
  },
  {
    what: "kubeadm, a node cache with `rewrite`",
    why: "CoreDNS answers them, which the cache had not asked",
    differs: /\.git\.my\.example$|(^|\.)arpa$/,
    data: `
      .:53 { ${start}
        kubernetes k8s.cluster in-addr.arpa ip6.arpa { pods insecure; fallthrough in-addr.arpa ip6.arpa; ttl 30 }
        prometheus :9153; ${fromNode}; ${end} }`,
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
  {
    what: "AKS, `coredns-custom`",
    why: "the node cache has its own",
    lasts: /(^|\.)corp\.example\.com$/,
    isOfCI: true,
    clusterIP: "10.0.0.10",
    labels: { "addonmanager.kubernetes.io/mode": "Reconcile" },
    data: `
      .:53 { errors; ready; health { lameduck 5s }; ${kubernetes}; prometheus :9153; forward . /etc/resolv.conf; ${end}
        import custom/*.override
        template ANY ANY internal.cloudapp.net {
          match "^(?:[^.]+\\.){4,}internal\\.cloudapp\\.net\\.$"
          rcode NXDOMAIN
          fallthrough
        }
        template ANY ANY reddog.microsoft.com { rcode NXDOMAIN } }
      import custom/*.server`,
    custom: {
      "corp.server": `corp.example.com:53 { errors; cache 10; forward . 10.1.2.53 10.1.2.54 }`,
      "log.override": `log`,
      "hosts.override": `hosts { 10.9.8.7 legacy.example.com; fallthrough }`,
    },
  },
  {
    what: "EKS, `rewrite type`",
    clusterIP: "172.20.0.10",
    labels: { "eks.amazonaws.com/component": "coredns" },
    data: `
      .:53 { rewrite stop type AAAA A; errors; health
        kubernetes cluster.local in-addr.arpa { pods insecure; fallthrough in-addr.arpa }
        forward . /etc/resolv.conf { except local }; prometheus :9153; cache 30; reload; loop; loadbalance
        log . "{remote} {type} {name} {class} {size} {rcode} {duration}" }`,
  },
  {
    what: "k3s, `coredns-custom`",
    why: "theirs had no cache for it",
    lasts: /(^|\.)why\.local$/,
    clusterIP: "10.43.0.10",
    labels: { "objectset.rio.cattle.io/hash": "bce283298811743a0386ab510f2f67ef74240c57" },
    data: {
      Corefile: `
      .:53 { errors; health; ready
        kubernetes cluster.local in-addr.arpa ip6.arpa { pods insecure; fallthrough in-addr.arpa ip6.arpa }
        hosts /etc/coredns/NodeHosts { ttl 60; reload 15s; fallthrough }; prometheus :9153; forward . /etc/resolv.conf
        ${end}; import /etc/coredns/custom/*.override }
      import /etc/coredns/custom/*.server`,
      NodeHosts: `
      192.0.2.10 node-0
      192.0.2.11 node-1`,
    },
    custom: { "custom.server": `why.local { forward . 127.0.0.1 }`, "log.override": `log` },
  },
  {
    what: "kOps, IPv6",
    clusterIP: "fd12:3456:789a::a",
    labels: { "app.kubernetes.io/managed-by": "kops" },
    data: `
      .:53 { ${start}
        kubernetes cluster.local. in-addr.arpa ip6.arpa { pods insecure; fallthrough in-addr.arpa ip6.arpa; ttl 30 }
        hosts /rootfs/etc/hosts k8s.local internal.k8s.local { ttl 30; fallthrough }; prometheus :9153
        forward . fd00:ec2::253 { max_concurrent 1000 }; ${end}; dns64 }`,
  },
  {
    what: "kubespray, its node cache",
    why: "its cache went past CoreDNS's stub domains",
    differs: /(^|\.)corp\.example\.com$/,
    lasts: /(^|\.)10\.in-addr\.arpa$/,
    clusterIP: "10.233.0.3",
    labels: { "addonmanager.kubernetes.io/mode": "Reconcile" },
    data: {
      Corefile: `
      corp.example.com 10.in-addr.arpa { log; errors { }; rewrite name suffix .corp.example.com .corp.internal
        forward . 10.1.0.53 10.1.0.54; loadbalance; cache 5; reload; hosts /etc/coredns/hosts { fallthrough } }
      .:53 { errors { }; health { lameduck 5s }; rewrite name suffix old.local cluster.local answer auto; ready
        kubernetes cluster.local in-addr.arpa ip6.arpa {
          pods insecure
          endpoint_pod_names
          fallthrough in-addr.arpa ip6.arpa
        }
        prometheus :9153; forward . 9.9.9.9 149.112.112.112 { prefer_udp; max_concurrent 1000 }
        k8s_external ext.example.com; ${end}; hosts /etc/coredns/hosts { fallthrough } }`,
      hosts: `192.0.2.77 registry.corp`,
    },
    cache: {
      name: "nodelocaldns",
      localip: "169.254.25.10",
      corefile: `
      cluster.local:53 { errors; cache { success 9984 30; denial 9984 5 }; reload; loop; bind 169.254.25.10
        forward . 10.233.0.3 { force_tcp }; prometheus :9253; health 169.254.25.10:9254 }
      in-addr.arpa:53 { errors; cache 30; reload; loop; bind 169.254.25.10; forward . 10.233.0.3 { force_tcp }
        prometheus :9253 }
      ip6.arpa:53 { errors; cache 30; reload; loop; bind 169.254.25.10; forward . 10.233.0.3 { force_tcp }
        prometheus :9253 }
      .:53 { errors; cache 30; reload; loop; bind 169.254.25.10; forward . 9.9.9.9 149.112.112.112; prometheus :9253 }`,
    },
  },
  {
    what: "k3s, hairpin-proxy, a node cache",
    clusterIP: "10.43.0.10",
    labels: { "objectset.rio.cattle.io/hash": "x" },
    data: {
      Corefile: `
      .:53 {
        rewrite name example.com proxy-c24e.hairpin-proxy.svc.cluster.local # Added by hairpin-proxy
        rewrite name www.example.com proxy-c24e.hairpin-proxy.svc.cluster.local # Added by hairpin-proxy
        errors; health { lameduck 5s }; ready
        kubernetes cluster.local in-addr.arpa ip6.arpa { pods insecure; fallthrough in-addr.arpa ip6.arpa; ttl 30 }
        hosts /etc/coredns/NodeHosts { ttl 60; reload 15s; fallthrough }; prometheus :9153
        forward . /etc/resolv.conf { max_concurrent 1000 }; cache 30; loop; reload; loadbalance }`,
      NodeHosts: "192.0.2.10 node-0\n",
    },
    cache: {
      name: "node-local-dns",
      localip: "169.254.20.10,10.43.0.10",
      corefile: `
      cluster.local:53 { errors; cache { success 9984 30; denial 9984 5 }; reload; loop; bind 169.254.20.10 10.43.0.10
        forward . __PILLAR__CLUSTER__DNS__ { force_tcp }; prometheus :9253; health 169.254.20.10:8080 }
      in-addr.arpa:53 { errors; cache 30; reload; loop; bind 169.254.20.10 10.43.0.10
        forward . __PILLAR__CLUSTER__DNS__ { force_tcp }; prometheus :9253 }
      ip6.arpa:53 { errors; cache 30; reload; loop; bind 169.254.20.10 10.43.0.10
        forward . __PILLAR__CLUSTER__DNS__ { force_tcp }; prometheus :9253 }
      .:53 { errors; cache 30; reload; loop; bind 169.254.20.10 10.43.0.10; forward . __PILLAR__UPSTREAM__SERVERS__
        prometheus :9253 }`,
    },
  },
  {
    what: "kubeadm of 2018, `proxy` with servers, `federation`",
    why: "CoreDNS has no `federation` since 1.7",
    data: `
      .:53 { errors; health
        kubernetes cluster.local in-addr.arpa ip6.arpa {
          upstream 8.8.8.8 8.8.4.4
          pods insecure
          fallthrough in-addr.arpa ip6.arpa
        }
        federation cluster.local { myfed example.com }; prometheus :9153; proxy . 8.8.8.8 8.8.4.4; ${end} }
      abc.com:53 { errors; cache 30; loop; proxy . 1.2.3.4 }`,
  },
  {
    what: "kubeadm, `hosts` of a file that is not there",
    why: "theirs had no file either, here",
    data: { Corefile: corefile("hosts /etc/coredns/customdomains.db cluster.local { fallthrough }") },
  },
  {
    what: "kubeadm, `acl`",
    why: "theirs refuses who asks here; a CoreDNS behind a node cache cannot see which pod asks",
    differs: /./,
    data: corefile("acl cluster.local { allow net ::/0 }; acl . { allow net 2001:db8::/29; block }"),
  },
  {
    what: "kubeadm, `multicluster`",
    data: corefile()
      .replace("cluster.local in-addr", "cluster.local clusterset.local in-addr")
      .replace("ttl 30", "multicluster clusterset.local; ttl 30"),
  },
  {
    what: "kubeadm, ConfigMap `kube-dns`, which nobody reads",
    data: corefile(),
    beside: [inKubeSystem("ConfigMap", "kube-dns", { data: { stubDomains: '{"example.com": ["cluster.local"]}' } })],
  },
  {
    what: "kubeadm with Cilium",
    why: overTCP,
    lasts: outsideNames,
    data: corefile(),
    beside: [configMap("cilium-config", { "kube-proxy-replacement": "true", "enable-local-redirect-policy": "false" })],
  },
  {
    what: "kubeadm, a HorizontalPodAutoscaler",
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
  {
    what: "kubeadm, DNS over HTTPS",
    why: "no key has it; ours asks the node's servers",
    differs: outsideNames,
    data: corefile("", "https://9.9.9.9"),
  },
  {
    what: "kubeadm, TLS without a name",
    why: "a key needs the name; ours asks the node's servers",
    differs: outsideNames,
    data: corefile("", "tls://1.1.1.2 tls://2606:4700:4700::1112"),
  },
  {
    what: "kubeadm, a server by name",
    why: "a cluster file has addresses; ours asks the node's servers",
    differs: outsideNames,
    data: corefile("", "dns.corp.example"),
  },
  {
    what: "kubeadm, systemd-resolved's address",
    why: "pods have no server there: `synth` refuses the file until it is corrected",
    differs: outsideNames,
    data: corefile("", "127.0.0.53"),
  },
  {
    what: "kubeadm, its own Service as the server",
    why: "CoreDNS would ask itself: `synth` refuses the file until it is corrected",
    differs: outsideNames,
    data: corefile("", "10.96.0.10"),
  },
  {
    what: "kubeadm, no `forward`, `hosts`",
    why: "ours asks the node's servers; theirs asked none",
    differs: outsideNames,
    lasts: /^www\.example\.com|^dns-version\.|^12\.17\.16\.172\./,
    data: `.:53 { errors; health; ${kubernetes}; hosts { 172.16.17.12 www.example.com; fallthrough } }`,
  },
  {
    what: "Kubernetes' node-local-dns, an address of its own",
    data: corefile(),
    cache: nodeLocalDns("169.254.0.10,10.254.0.10", "forward . __PILLAR__UPSTREAM__SERVERS__"),
  },
  {
    what: "Gardener's cache, which asks CoreDNS for all names",
    data: corefile(),
    cache: nodeLocalDns("169.254.20.10,10.96.0.10", "forward . __PILLAR__CLUSTER__DNS__ { force_tcp }"),
  },
  {
    what: "EKS, node-local-dns of a Helm chart",
    clusterIP: "172.20.0.10",
    labels: { "eks.amazonaws.com/component": "coredns" },
    data: corefile(),
    cache: nodeLocalDns("169.254.20.25,172.20.0.10", "forward . __PILLAR__UPSTREAM__SERVERS__", "prefetch 3 60s 20%"),
  },
  {
    what: "EKS, `dns64`",
    clusterIP: "fd1b:7d1c:53ae::a",
    labels: { "eks.amazonaws.com/component": "coredns" },
    data: corefile("dns64"),
  },
  {
    what: "MicroK8s",
    clusterIP: "10.152.183.10",
    labels: { "addonmanager.kubernetes.io/mode": "Reconcile" },
    data: { Corefile: corefile("log . { class error }", "8.8.8.8 8.8.4.4") },
  },
  {
    what: "Flux, Cilium, `template` for AAAA, `autopath`",
    clusterIP: "10.43.0.10",
    labels: { "helm.toolkit.fluxcd.io/name": "coredns" },
    lasts: /^dns-version\./,
    why: "theirs keeps this name of CoreDNS for an hour",
    data: corefile(
      `
      autopath @kubernetes
      template ANY AAAA { rcode NOERROR
        authority "{{ .Zone }} 60 IN SOA ns.dns.cluster.local. hostmaster.cluster.local. 1 60 60 60 60" }`,
    )
      .replace("pods insecure", "pods verified")
      .replace(/cache 30 \{[^}]*\}/, "cache { prefetch 20; serve_stale }"),
    beside: [configMap("cilium-config", { "kube-proxy-replacement": "true", "enable-local-redirect-policy": "true" })],
  },
  {
    what: "RKE2, `rewrite type`",
    clusterIP: "10.43.0.10",
    labels: { "meta.helm.sh/release-name": "rke2-coredns" },
    data: corefile("rewrite type AAAA A"),
  },
  {
    what: "RKE2, a block for Lighthouse that no pod mounts",
    clusterIP: "10.43.0.10",
    labels: { "meta.helm.sh/release-name": "rke2-coredns" },
    data: corefile(),
  },
  {
    what: "DigitalOcean",
    why: overTCP,
    lasts: /outside\.example$|^dns-version\./,
    clusterIP: "10.245.0.10",
    labels: { "doks.digitalocean.com/managed": "true" },
    data: corefile("import custom/*.override", undefined, "import custom/*.server\n").replace(
      /cache 30 \{[^}]*\}/,
      "cache 300 { prefetch 10 }",
    ),
    beside: [configMap("cilium-config", { "kube-proxy-replacement": "true" })],
  },
  { what: "k0s", labels: { "k0s.k0sproject.io/stack": "coredns" }, data: corefile() },
  { what: "kapp", labels: { "kapp.k14s.io/app": "1676012345678901234" }, data: corefile() },
  {
    what: "GKE, kube-dns with a stub domain by name",
    data: {},
    objects: [
      inKubeSystem("Service", "kube-dns", { spec: { ...serviceSpec, clusterIPs: ["10.8.0.10"] } }),
      node(),
      kubeProxy(),
      inKubeSystem(
        "Deployment",
        "kube-dns",
        {
          spec: {
            selector: { matchLabels: { "k8s-app": "kube-dns" } },
            template: {
              metadata: { labels: { "k8s-app": "kube-dns" } },
              spec: { containers: [{ name: "kubedns", image: "gke.gcr.io/k8s-dns-kube-dns:1.24.1" }] },
            },
          },
        },
        { labels: { "addonmanager.kubernetes.io/mode": "Reconcile" } },
      ),
      configMap("kube-dns", {
        stubDomains: '{"example.com": ["cluster.local"]}',
        upstreamNameservers: '["8.8.4.4", "8.8.8.8"]',
      }),
    ],
  },
];
