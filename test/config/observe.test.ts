import { describe, expect, it } from "vitest";
import { observe } from "../../src/config/observe";
import { resolve } from "../../src/model/check/resolve";

const inKubeSystem = (kind: string, name: string, fields: object) => ({
  kind,
  metadata: { name, namespace: "kube-system" },
  ...fields,
});
const service = inKubeSystem("Service", "kube-dns", {
  spec: { clusterIPs: ["10.96.0.10"], ports: [{ port: 53 }, { port: 53 }, { port: 9153 }] },
});
const node = (version: string) => ({
  kind: "Node",
  metadata: { name: "a" },
  status: { nodeInfo: { kubeletVersion: version } },
});
const corefile = (text: string, name = "coredns") => inKubeSystem("ConfigMap", name, { data: { Corefile: text } });
const kubeProxy = (mode: string) =>
  inKubeSystem("ConfigMap", "kube-proxy", {
    data: { "config.conf": `kind: KubeProxyConfiguration\nmode: "${mode}"\n` },
  });

function seen(...items: object[]) {
  const { description, unsaid } = observe(JSON.stringify({ kind: "List", items }));
  return { description, unsaid };
}

const kubeadmCorefile = `.:53 {
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

describe("a cluster's objects", () => {
  it("of kubeadm need nothing but addresses, mode and version", () => {
    const clusterConfiguration = "kind: ClusterConfiguration\nnetworking:\n  serviceSubnet: 10.96.0.0/16,fd00::/108\n";
    const { description, unsaid } = seen(
      node("v1.33.2"),
      node("v1.34.1"),
      service,
      kubeProxy(""),
      inKubeSystem("ConfigMap", "kubeadm-config", { data: { ClusterConfiguration: clusterConfiguration } }),
      corefile(kubeadmCorefile),
      inKubeSystem("Deployment", "coredns", {
        spec: {
          replicas: 2,
          template: {
            spec: {
              nodeSelector: { "kubernetes.io/os": "linux" },
              tolerations: [{ key: "CriticalAddonsOnly", operator: "Exists" }],
              containers: [
                {
                  name: "coredns",
                  resources: { limits: { memory: "170Mi" }, requests: { cpu: "100m", memory: "70Mi" } },
                },
              ],
            },
          },
        },
      }),
    );
    expect(unsaid).toEqual([]);
    expect(description).toEqual({
      clusterDNS: ["10.96.0.10"],
      kubernetesVersion: "1.34",
      kubeProxyMode: "iptables",
      serviceCIDRs: ["10.96.0.0/16", "fd00::/108"],
      authoritativeDNS: {
        nodePlacement: {
          tolerations: [{ key: "CriticalAddonsOnly", operator: "Exists" }],
        },
      },
    });
    expect(resolve(description).problems).toBeUndefined();
  });

  it("keep edits of the Corefile, and list what cannot be expressed", () => {
    const text = `.:53 {
    errors
    log
    hosts {
        10.1.2.3 db.example cache.example
        fallthrough
    }
    rewrite name a.example b.example
    kubernetes k8s.example in-addr.arpa {
        pods verified
        ttl 5
        namespaces a b
    }
    forward . tls://9.9.9.9 tls://149.112.112.112 {
        tls_servername dns.quad9.net
        policy sequential
        except internal.example
    }
    cache 60 {
        success 5000
        denial 1000 7
        prefetch 10
    }
    import custom/*.override
}
corp.example:53 10.in-addr.arpa {
    errors
    cache 30
    forward . 10.1.2.3 10.1.2.4:5353
    template ANY ANY
}
broken.example { whoami
}
`;
    expect(seen(corefile(text))).toEqual({
      description: {
        clusterDomain: "k8s.example",
        authoritativeDNS: {
          ttl: 5,
          pods: "verified",
          cache: { success: { capacity: 5000, ttl: 60 }, denial: { capacity: 1000, ttl: 7 } },
        },
        hostAliases: [{ ip: "10.1.2.3", hostnames: ["db.example", "cache.example"] }],
        upstreamNameservers: ["9.9.9.9", "149.112.112.112"],
        upstreamTLSServerName: "dns.quad9.net",
        upstreamPolicy: "sequential",
        stubDomains: {
          "corp.example": ["10.1.2.3", "10.1.2.4:5353"],
          "10.in-addr.arpa": ["10.1.2.3", "10.1.2.4:5353"],
        },
      },
      unsaid: [
        "log",
        "rewrite name a.example b.example",
        "kubernetes: namespaces a b",
        "forward: except internal.example",
        "cache: prefetch 10",
        "import custom/*.override",
        "server block corp.example:53 10.in-addr.arpa: template ANY ANY",
        "server block broken.example",
      ].map((what) => `ConfigMap kube-system/coredns: ${what}`),
    });
  });

  it.each<[what: string, text: string, description: object, unsaid: string[]]>([
    [
      "a conditional forward is a stub domain, not the upstream of all names",
      ".:53 {\n  forward corp.example 10.0.0.5\n  forward . 8.8.8.8\n}\n",
      { stubDomains: { "corp.example": ["10.0.0.5"] }, upstreamNameservers: ["8.8.8.8"] },
      [],
    ],
    [
      "TLS without a name to expect never becomes plain DNS",
      ".:53 {\n  forward . tls://9.9.9.9 tls://1.1.1.1\n}\n",
      {},
      ["forward to tls://9.9.9.9 tls://1.1.1.1"],
    ],
    [
      "imports outside of blocks, as k3s and AKS have them",
      "import a/*.one\n.:53 {\n  forward . 8.8.8.8\n}\nimport custom/*.server\n",
      { upstreamNameservers: ["8.8.8.8"] },
      ["server block import a/*.one", "server block import custom/*.server"],
    ],
    [
      "what a stub domain has beyond its servers",
      "rev.local:1053 {\n  forward . 10.0.0.5\n}\ncorp.example {\n  forward . 10.0.0.5 {\n    force_tcp\n  }\n}\n",
      { stubDomains: { "corp.example": ["10.0.0.5"] } },
      ["server block rev.local:1053", "forward corp.example: force_tcp"],
    ],
  ])("%s", (_, text, description, unsaid) => {
    expect(seen(corefile(text))).toEqual({
      description,
      unsaid: unsaid.map((what) => `ConfigMap kube-system/coredns: ${what}`),
    });
  });

  it("of k3s have node names in a file", () => {
    const { unsaid } = seen(
      corefile(".:53 {\n  hosts /etc/coredns/NodeHosts {\n    ttl 60\n    reload 15s\n    fallthrough\n  }\n}\n"),
    );
    expect(unsaid).toEqual(["ConfigMap kube-system/coredns: hosts of file /etc/coredns/NodeHosts"]);
  });

  it("of kube-dns have a ConfigMap of their own", () => {
    const data = {
      stubDomains: '{"acme.local": ["1.2.3.4"]}',
      upstreamNameservers: '["8.8.8.8"]',
      federations: '{"prod": "example.com"}',
    };
    expect(seen(inKubeSystem("ConfigMap", "kube-dns", { data }))).toEqual({
      description: { stubDomains: { "acme.local": ["1.2.3.4"] }, upstreamNameservers: ["8.8.8.8"] },
      unsaid: [
        'ConfigMap kube-system/kube-dns: federations {"prod": "example.com"}; federation also needs region and zone',
      ],
    });
  });

  it("of OpenShift have a DNS resource", () => {
    const dns = {
      apiVersion: "operator.openshift.io/v1",
      kind: "DNS",
      metadata: { name: "default" },
      spec: {
        servers: [
          {
            name: "corp",
            zones: ["corp.example"],
            forwardPlugin: { upstreams: ["1.1.1.1", "2.2.2.2:5353"], policy: "Random" },
          },
        ],
        upstreamResolvers: {
          upstreams: [{ type: "SystemResolvConf" }, { type: "Network", address: "1.2.3.4", port: 5353 }],
        },
        nodePlacement: { nodeSelector: { "node-role.kubernetes.io/infra": "" } },
        logLevel: "Normal",
      },
    };
    expect(seen(dns)).toEqual({
      description: {
        stubDomains: { "corp.example": ["1.1.1.1", "2.2.2.2:5353"] },
        upstreamNameservers: ["1.2.3.4:5353"],
        authoritativeDNS: { kind: "Existing" },
      },
      unsaid: ["DNS default: policy of server corp", "DNS default: logLevel"],
    });
    const unmanaged = { ...dns, spec: { ...dns.spec, managementState: "Unmanaged" } };
    expect(seen(unmanaged)).toMatchObject({
      description: {
        authoritativeDNS: { nodePlacement: { nodeSelector: { "node-role.kubernetes.io/infra": "" } } },
      },
      unsaid: expect.not.arrayContaining([expect.stringContaining("managementState")]),
    });
  });

  it("with Cilium instead of kube-proxy have no mode", () => {
    expect(
      seen(inKubeSystem("ConfigMap", "cilium-config", { data: { "kube-proxy-replacement": "true" } })).description,
    ).toEqual({
      kubeProxyMode: "none",
      cni: "cilium",
    });
  });

  it("that conflict with ours are listed", () => {
    const named = {
      ...service,
      metadata: { name: "rke2-coredns-rke2-coredns", namespace: "kube-system", labels: { "k8s-app": "kube-dns" } },
    };
    const { unsaid } = seen(
      named,
      inKubeSystem("DaemonSet", "node-local-dns", { spec: {} }),
      inKubeSystem("Deployment", "dns-autoscaler", { spec: {} }),
    );
    expect(unsaid).toEqual([
      "Service kube-system/rke2-coredns-rke2-coredns: we name the Service kube-dns; delete this one first",
      expect.stringContaining("Deployment kube-system/dns-autoscaler: set authoritativeDNS.autoscaler"),
      expect.stringContaining("DaemonSet kube-system/node-local-dns: an existing node cache"),
    ]);
  });

  it("may be missing, and a Corefile may be broken", () => {
    expect(seen()).toEqual({ description: {}, unsaid: [] });
    expect(seen(corefile(".:53 {\n  log")).unsaid).toEqual([
      "ConfigMap kube-system/coredns: cannot be read as a Corefile: a brace is not closed",
    ]);
    expect(() => observe("no")).toThrow(SyntaxError);
  });
});

describe("CoreDNS that somebody would restore is left to its owner", () => {
  const coredns = (metadata: object, name = "coredns") => ({
    kind: "Deployment",
    metadata: { name, namespace: "kube-system", ...metadata },
    spec: { replicas: 5, template: { spec: { containers: [{ name: "coredns", image: "cloud.example/coredns:v1" }] } } },
  });
  const label = (key: string, value: string) => ({ labels: { [key]: value } });
  const annotation = (key: string, value: string) => ({ annotations: { [key]: value } });

  it.each<[owner: string, mark: string, workload: object]>([
    ["EKS", "eks.amazonaws.com/component=coredns", coredns(label("eks.amazonaws.com/component", "coredns"))],
    ["EKS", "manager=eks", coredns({ managedFields: [{ manager: "eks", fieldsV1: {} }] })],
    [
      "an addon manager (AKS, GKE)",
      "addonmanager.kubernetes.io/mode=Reconcile",
      coredns(label("addonmanager.kubernetes.io/mode", "Reconcile"), "kube-dns"),
    ],
    ["k3s", "objectset.rio.cattle.io/hash=bce28", coredns(label("objectset.rio.cattle.io/hash", "bce28"))],
    [
      "Deckhouse",
      "heritage=deckhouse",
      coredns(
        {
          labels: { heritage: "deckhouse", "k8s-app": "kube-dns" },
          annotations: { "meta.helm.sh/release-name": "kube-dns" },
        },
        "d8-kube-dns",
      ),
    ],
    [
      "Helm",
      "meta.helm.sh/release-name=rke2-coredns",
      coredns(annotation("meta.helm.sh/release-name", "rke2-coredns"), "rke2-coredns-rke2-coredns"),
    ],
    [
      "Argo CD",
      "argocd.argoproj.io/tracking-id=dns:apps/Deployment:kube-system/coredns",
      coredns(annotation("argocd.argoproj.io/tracking-id", "dns:apps/Deployment:kube-system/coredns")),
    ],
    ["Flux", "kustomize.toolkit.fluxcd.io/name=dns", coredns(label("kustomize.toolkit.fluxcd.io/name", "dns"))],
  ])("%s: %s", (owner, mark, workload) => {
    const text = ".:53 {\n  kubernetes cluster.local {\n    ttl 5\n  }\n  forward . 8.8.8.8\n}\n";
    const items = [service, workload, inKubeSystem("Deployment", "dns-autoscaler", { spec: {} }), corefile(text)];
    const { description, reasons, unsaid } = observe(JSON.stringify({ kind: "List", items }));
    expect(description["authoritativeDNS"]).toEqual({ kind: "Existing" });
    expect(reasons).toEqual({
      authoritativeDNS: expect.stringMatching(/^Deployment kube-system\/\S+ belongs to .*, which would undo changes/),
    });
    expect(reasons["authoritativeDNS"]).toContain(`belongs to ${owner}, `);
    expect(reasons["authoritativeDNS"]).toContain(`(${mark})`);
    expect(description["clusterDNS"]).toEqual(["10.96.0.10"]);
    expect(unsaid).toEqual([]);
  });

  it.each<[what: string, metadata: object]>([
    ["kubeadm's", label("k8s-app", "kube-dns")],
    ["what an addon manager only creates", label("addonmanager.kubernetes.io/mode", "EnsureExists")],
    [
      "ours, applied by Argo CD",
      {
        ...label("app.kubernetes.io/managed-by", "cdk8s-cluster-dns"),
        ...annotation("argocd.argoproj.io/tracking-id", "dns:apps/Deployment:kube-system/coredns"),
      },
    ],
  ])("but not %s", (_, metadata) => {
    const { description, reasons } = observe(JSON.stringify({ kind: "List", items: [coredns(metadata)] }));
    expect(description["authoritativeDNS"]).toEqual({ replicas: 5 });
    const isOurs = JSON.stringify(metadata).includes("cdk8s-cluster-dns");
    expect(description["nodeLocalDNS"]).toEqual(isOurs ? { state: "disabled" } : undefined);
    expect(reasons).toEqual({});
  });

  it("a node cache of an addon manager is turned off there", () => {
    const metadata = { name: "node-local-dns", ...label("addonmanager.kubernetes.io/mode", "Reconcile") };
    expect(seen({ kind: "DaemonSet", metadata }).unsaid).toEqual([
      "DaemonSet node-local-dns: an existing node cache of an addon manager (AKS, GKE); turn it off there once ours runs",
    ]);
  });

  it("Deckhouse's Service kube-dns is only an alias", () => {
    const alias = inKubeSystem("Service", "kube-dns", { spec: { type: "ExternalName" } });
    const real = {
      kind: "Service",
      metadata: { name: "d8-kube-dns", labels: { "k8s-app": "kube-dns", heritage: "deckhouse" } },
      spec: { clusterIPs: ["10.222.0.10"], selector: { "k8s-app": "kube-dns" } },
    };
    expect(seen(alias, real).description).toEqual({
      clusterDNS: ["10.222.0.10"],
      authoritativeDNS: { kind: "Existing" },
    });
  });
});

describe("a cluster DNS that keeps its owner, with pods or ports that kube-dns-upstream would not have", () => {
  const eks = { "eks.amazonaws.com/component": "kube-dns" };
  it.each<[what: string, metadata: object, spec: object]>([
    ["another selector", {}, { selector: { "k8s-app": "coredns" } }],
    ["another port", {}, { selector: { "k8s-app": "kube-dns" }, ports: [{ port: 53, targetPort: 5353 }] }],
    ["another namespace", { namespace: "dns" }, { selector: { "k8s-app": "kube-dns" } }],
  ])("%s: no cache without agentImage, and why", (_, metadata, spec) => {
    const item = { kind: "Service", metadata: { name: "kube-dns", labels: eks, ...metadata }, spec };
    const { description, reasons } = observe(JSON.stringify({ items: [item] }));
    expect(description).toMatchObject({ nodeLocalDNS: { state: "disabled" } });
    expect(reasons["nodeLocalDNS"]).toContain("has other pods or ports than Service kube-dns-upstream would");
  });

  it("as usual: a cache", () => {
    const spec = {
      selector: { "k8s-app": "kube-dns" },
      ports: [
        { port: 53, targetPort: 53 },
        { port: 9153, targetPort: 9153 },
      ],
    };
    const item = { kind: "Service", metadata: { name: "kube-dns", labels: eks }, spec };
    expect(observe(JSON.stringify({ items: [item] })).description).not.toHaveProperty("nodeLocalDNS");
  });
});

describe("the Corefile that counts", () => {
  const mounting = (name: string) =>
    inKubeSystem("Deployment", "coredns", {
      spec: {
        replicas: 2,
        template: {
          spec: {
            containers: [],
            volumes: [{ configMap: { name } }, { configMap: { name: "coredns-custom", optional: true } }],
          },
        },
      },
    });

  it("is the mounted one", () => {
    const old = corefile(".:53 {\n  forward . 1.1.1.1\n}\n");
    const current = corefile(".:53 {\n  forward . 8.8.8.8\n}\n", "coredns-1a2b3c4d5e");
    expect(seen(old, current, mounting("coredns-1a2b3c4d5e"))).toEqual({
      description: { upstreamNameservers: ["8.8.8.8"] },
      unsaid: [],
    });
  });

  it("is missed, not replaced by another", () => {
    expect(seen(corefile(".:53 {\n  forward . 1.1.1.1\n}\n"), mounting("mine"))).toEqual({
      description: {},
      unsaid: ["ConfigMap mine, which DNS pods mount, is not among the objects"],
    });
  });

  it("may serve on another port, next to blocks that are not for pods", () => {
    const text =
      ".:5353 {\n  kubernetes cluster.local\n  forward . 8.8.8.8\n}\n.:9053 {\n  forward . 127.0.0.1:53\n}\n";
    expect(seen(corefile(text))).toEqual({
      description: { upstreamNameservers: ["8.8.8.8"], authoritativeDNS: { pods: "disabled" } },
      unsaid: ["ConfigMap kube-system/coredns: server block .:9053"],
    });
  });
});

it.each<[what: string, object: object, message: string]>([
  [
    "stubDomains that are not JSON",
    inKubeSystem("ConfigMap", "kube-dns", { data: { stubDomains: "corp: 10.1.2.3" } }),
    'ConfigMap kube-system/kube-dns: data.stubDomains: "corp: 10.1.2.3" cannot be read; accepted: JSON such as {"corp.example": ["10.1.2.3"]}',
  ],
  [
    "upstreams that are not a list",
    inKubeSystem("ConfigMap", "kube-dns", { data: { upstreamNameservers: '"8.8.8.8"' } }),
    'ConfigMap kube-system/kube-dns: data.upstreamNameservers: "\\"8.8.8.8\\"" cannot be read; accepted: JSON such as ["10.1.2.3"]',
  ],
  [
    "a Service without spec",
    inKubeSystem("Service", "kube-dns", {}),
    "Service kube-system/kube-dns: is not as the API server writes it",
  ],
  [
    "a Deployment with containers that are no list",
    inKubeSystem("Deployment", "coredns", { spec: { template: { spec: { containers: {} } } } }),
    "Deployment kube-system/coredns: is not as the API server writes it",
  ],
])("the error about %s says where, and what is accepted", (_, object, message) => {
  expect(() => seen(object)).toThrow(new Error(message));
});
