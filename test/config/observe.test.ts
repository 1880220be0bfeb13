import { describe, expect, it } from "vitest";
import { observe } from "../../src/config/observe";
import { readState } from "../../src/live/read-state";
import { resolve } from "../../src/model/check/resolve";
import {
  corefile,
  corefileMount,
  corefileVolume,
  inKubeSystem,
  kubeProxy,
  kubeadmCorefile,
  node,
  seen,
  service,
} from "./observed";

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
              dnsPolicy: "Default",
              priorityClassName: "system-cluster-critical",
              restartPolicy: "Always",
              schedulerName: "default-scheduler",
              securityContext: {},
              serviceAccount: "coredns",
              serviceAccountName: "coredns",
              terminationGracePeriodSeconds: 30,
              nodeSelector: { "kubernetes.io/os": "linux" },
              tolerations: [{ key: "CriticalAddonsOnly", operator: "Exists" }],
              containers: [
                {
                  name: "coredns",
                  ...corefileMount,
                  resources: { limits: { memory: "170Mi" }, requests: { cpu: "100m", memory: "70Mi" } },
                },
              ],
              volumes: [corefileVolume()],
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
    kubernetes k8s.example in-addr.arpa ip6.arpa {
        fallthrough in-addr.arpa ip6.arpa
        pods verified
        ttl 10
        namespaces a b
    }
    forward . tls://9.9.9.9 tls://149.112.112.112 {
        tls_servername dns.quad9.net
        policy sequential
        except internal.example
    }
    cache 60 {
        success 5000
        denial 2000 7
        prefetch 10 2m 20%
        serve_stale 1h verify 2s 10s
    }
    import custom/*.override
}
corp.example:53 10.in-addr.arpa {
    errors
    cache 60 {
        success 5000
        denial 2000 7
        prefetch 10 2m 20%
        serve_stale 1h verify 2s 10s
    }
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
          ttl: 10,
          pods: "verified",
          cache: {
            success: { capacity: 5000, ttl: 60 },
            denial: { capacity: 2000, ttl: 7 },
            prefetch: { amount: 10, duration: "2m", percentage: 20 },
            serveStale: { duration: "1h", refresh: "verify", timeout: "2s", responseTTL: "10s" },
          },
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
        "import custom/*.override",
        "server block corp.example 10.in-addr.arpa: template ANY ANY",
        "server block broken.example",
      ].map((what) => `ConfigMap kube-system/coredns: ${what}`),
    });
  });

  it.each<[what: string, text: string, description: object, unsaid: string[]]>([
    [
      "a conditional forward is a stub domain, not the upstream of all names",
      ".:53 {\n  forward corp.example 10.0.0.5\n  forward . 8.8.8.8\n  cache 30\n}\n",
      { stubDomains: { "corp.example": ["10.0.0.5"] }, upstreamNameservers: ["8.8.8.8"] },
      [],
    ],
    [
      "TLS without a name to expect never becomes plain DNS",
      ".:53 {\n  forward . tls://9.9.9.9 tls://1.1.1.1\n  cache 30\n}\n",
      {},
      ["forward to tls://9.9.9.9 tls://1.1.1.1"],
    ],
    [
      "imports outside of blocks, as k3s and AKS have them",
      "import a/*.one\n.:53 {\n  forward . 8.8.8.8\n  cache 30\n}\nimport custom/*.server\n",
      { upstreamNameservers: ["8.8.8.8"] },
      ["server block import a/*.one", "server block import custom/*.server"],
    ],
    [
      "what a stub domain has beyond its servers",
      "rev.local:1053 {\n  forward . 10.0.0.5\n}\ncorp.example {\n  forward . 10.0.0.5 {\n    policy random\n    force_tcp\n  }\n}\n",
      { stubDomains: { "corp.example": ["10.0.0.5"] } },
      ["server block rev.local:1053", "forward corp.example: force_tcp"],
    ],
    [
      "what ours says otherwise, whoever chose it",
      `.:53 {
  errors {
    consolidate 5m ".*"
  }
  health {
    lameduck 10s
  }
  kubernetes cluster.local other.example in-addr.arpa ip6.arpa {
    pods insecure
    fallthrough
    ttl 30
  }
  hosts {
    10.1.2.3 db.example
    ttl 60
    fallthrough
  }
  prometheus :9154
  forward . /etc/resolv.conf {
    max_concurrent 500
    prefer_udp
  }
  cache 30 corp.local {
    success 1024 30 10
    keepttl
  }
  reload 5s
  debug
}
corp.example {
  reload 5s
  cache 60
  forward . 10.0.0.5 {
    max_concurrent 2000
  }
}
`,
      { hostAliases: [{ ip: "10.1.2.3", hostnames: ["db.example"] }], stubDomains: { "corp.example": ["10.0.0.5"] } },
      [
        "errors { consolidate 5m .* }; ours: errors",
        "health { lameduck 10s }; ours: health { lameduck 15s }",
        "kubernetes: zone other.example",
        "kubernetes: fallthrough; ours: fallthrough in-addr.arpa ip6.arpa",
        "hosts: ttl 60",
        "prometheus :9154; ours: prometheus :9153",
        "forward: max_concurrent 500; ours: 1000",
        "forward: prefer_udp",
        "cache: only for corp.local",
        "cache: success 1024 30 10",
        "cache: keepttl",
        "reload 5s; ours: none, for a change replaces the pods",
        "debug",
        "forward corp.example: max_concurrent 2000; ours: 1000",
        "server block corp.example: reload 5s; ours: none, for a change replaces the pods",
        "server block corp.example: cache 60; ours: authoritativeDNS.cache",
      ],
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

  it("of CoreDNS may still have that ConfigMap, which counts for nothing", () => {
    const data = { upstreamNameservers: '["8.8.8.8"]' };
    const containers = [{ name: "coredns", ...corefileMount }];
    const spec = { template: { spec: { containers, volumes: [corefileVolume()] } } };
    const items = [inKubeSystem("Deployment", "coredns", { spec }), corefile(kubeadmCorefile)];
    expect(seen(...items, inKubeSystem("ConfigMap", "kube-dns", { data }))).toEqual(seen(...items));
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
    expect(seen(dns)).toMatchObject({
      description: {
        stubDomains: { "corp.example": ["1.1.1.1", "2.2.2.2:5353"] },
        authoritativeDNS: { kind: "Existing" },
      },
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

  it("have pods that differ from ours, beyond what a cluster file says, which are listed", () => {
    const spread = { maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" };
    const coredns = {
      name: "coredns",
      ...corefileMount,
      env: [{ name: "GOGC", value: "50" }, { name: "GOMEMLIMIT" }],
      lifecycle: { preStop: { sleep: { seconds: 5 } } },
    };
    const pod = {
      hostNetwork: true,
      hostPID: false,
      dnsPolicy: "None",
      priorityClassName: "mine",
      schedulerName: "default-scheduler",
      securityContext: {},
      topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: { "k8s-app": "kube-dns" } } }],
      initContainers: [{ name: "wait" }],
      containers: [coredns, { name: "sidecar", image: "x:1" }],
      volumes: [corefileVolume(), { name: "zones", hostPath: {} }],
    };
    const workload = inKubeSystem("Deployment", "coredns", { spec: { replicas: 2, template: { spec: pod } } });
    expect(seen(corefile(kubeadmCorefile), workload)).toEqual({
      description: {},
      unsaid: [
        "hostNetwork true",
        'dnsPolicy "None"; ours: "Default"',
        'priorityClassName "mine"; ours: "system-cluster-critical"',
        'topologySpreadConstraints[0].whenUnsatisfiable "DoNotSchedule"; ours: "ScheduleAnyway"',
        "container wait",
        "container sidecar",
        "volume zones",
        'lifecycle {"preStop":{"sleep":{"seconds":5}}}',
        "env GOGC",
      ].map((what) => `Deployment kube-system/coredns: ${what}`),
    });
  });

  it("have no resources if they are our defaults, also where the mode is unknown", () => {
    const { cluster } = resolve({ clusterDNS: ["10.96.0.10"], kubeProxyMode: "nftables" });
    const resources = cluster?.components.authoritativeDns?.resources;
    const coredns = inKubeSystem("Deployment", "coredns", {
      spec: { replicas: 2, template: { spec: { containers: [{ name: "coredns", resources }] } } },
    });
    expect(seen(service, coredns).description).toEqual({ clusterDNS: ["10.96.0.10"] });
    const usual = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "nftables" };
    expect(seen(service, kubeProxy("nftables"), coredns).description).toEqual(usual);
  });

  it("may be missing, and a Corefile may be broken", () => {
    expect(seen({ kind: "Node", metadata: { name: "a" } })).toEqual({ description: {}, unsaid: [] });
    expect(seen(corefile(".:53 {\n  log")).unsaid).toEqual([
      "ConfigMap kube-system/coredns: cannot be read as a Corefile: a brace is not closed",
    ]);
    expect(() => observe(readState("no"))).toThrow("is not JSON");
  });

  it.each(["null", "3", "[]", '{"kind":"List","items":[]}'])("is not %s", (text) => {
    expect(() => observe(readState(text))).toThrow("has no object of a cluster");
  });
});
