import { describe, expect, it } from "vitest";
import { gather, spread } from "../../corefile-text";
import { defaults } from "../../../src/model/defaults";
import { configMap, coreDns, corefile, kubeadm, kubeProxy, kubernetes, node, service, taken } from "./objects";

/** What a Corefile adds to kubeadm's cluster file, and what is left out. */
function read(text: string) {
  const { own, different } = taken(kubeadm(spread(text)));
  const { kubeProxyMode: _kubeProxyMode, ...said } = own;
  return { said: gathered(said), left: different.map((what) => what.replace("ConfigMap coredns: ", "")) };
}

const gathered = (said: object) =>
  JSON.parse(JSON.stringify(said), (_, value: unknown) =>
    typeof value === "string" ? gather(value) : value,
  ) as object;
/** More blocks in kubeadm's. */
const beside = (text: string) => corefile("", undefined, text);
/** Names outside are asked of these servers, with these options. */
const forwarding = (to: string, options: string) =>
  corefile("", to).replace("max_concurrent", `${options}; max_concurrent`);
const stub = (zone: string, plugins = "cache 30") => `${zone} { forward . 10.1.2.3;  ${plugins} }\n`;
const asText = (said: object) => ({ authoritativeDNS: { corefile: said } });
const version = defaults.authoritativeDNS.image.split(":v")[1];
const setUpstreams = "set upstreamNameservers and upstreamTLSServerName";
const nothingAsked = [
  "no forward; ours: to /etc/resolv.conf, policy random, max_concurrent 1000",
  "no cache; ours: success ttl 30, denial ttl 30",
];
const stubbed = { stubDomains: { "corp.example": ["10.1.2.3"] } };

describe("a Corefile becomes keys, and the rest is what differs from ours", () => {
  it.each<[what: string, text: string, said: object, left?: string[]]>([
    ["kubeadm's", corefile(), {}],
    [
      "kubeadm's of 2018",
      corefile().replace(/lameduck 5s|max_concurrent 1000|ttl 30|disable .*/g, ""),
      { authoritativeDNS: { ttl: 5 } },
    ],
    [
      "what has no key",
      corefile("log; rewrite type AAAA A; template ANY HTTPS .; dynamo"),
      { queryLog: {}, ...asText({ clusterNames: "template ANY HTTPS .", otherNames: "template ANY HTTPS ." }) },
      [
        "rewrite type AAAA A: rewrite cannot be added to a block of ours: use rewrites, or write a",
        `dynamo: dynamo is no plugin of CoreDNS v${version}; one of an image of your own is named in authoritativeDNS.corefile.plugins`,
      ],
    ],
    ["some logs", corefile("log . { class error; class denial }"), { queryLog: { classes: ["denial", "error"] } }],
    ["a log of some names", corefile("log corp.example"), { queryLog: { zones: ["corp.example"] } }],
    [
      "no IPv6 addresses, which the cluster's own names keep as they were",
      corefile("template ANY AAAA { rcode NOERROR }"),
      { filterAAAA: true, authoritativeDNS: { corefile: { clusterNames: "template ANY AAAA { rcode NOERROR }" } } },
    ],
    [
      "what has no key, for names of some zones",
      corefile("template ANY A apps.example; template ANY A old.svc.cluster.local; any"),
      asText({
        clusterNames: "template ANY A old.svc.cluster.local; any",
        otherNames: "template ANY A apps.example; any",
      }),
    ],
    [
      "separate blocks for the cluster's names and for all others",
      `cluster.local in-addr.arpa ip6.arpa { ${kubernetes}; forward . /etc/resolv.conf; log }; . { forward . /etc/resolv.conf; cache 30; minimal }\n`,
      asText({ clusterNames: "log", otherNames: "minimal" }),
    ],
    [
      "who may ask, which the node cache hides",
      corefile("acl . { allow net 10.0.0.0/8; block }"),
      {},
      ["acl . { allow net 10.0.0.0/8; block }: it goes by who asks, and would see the node cache:"],
    ],
    ...(
      [
        ["name a.example b.example", { from: "a.example", to: "b.example" }],
        [
          "stop name suffix .a.example. .b.example. answer auto",
          { match: "suffix", from: ".a.example", to: ".b.example" },
        ],
        ["name prefix a b", { match: "regex", from: "^a((?:\\..*)?)\\.$", to: "b{1}", answer: "unchanged" }],
        [
          "name substring a b",
          { match: "regex", from: "^(.*?)a((?:\\..*)?)\\.$", to: "{1}b{2}", answer: "unchanged" },
          ["rewrite name substring a b more than once in a name"],
        ],
        [
          "stop { name regex (.*)\\.a {1}.b; answer name (.*)\\.b {1}.a }",
          { match: "regex", from: "(.*)\\.a", to: "{1}.b", answer: [{ part: "name", from: "(.*)\\.b", to: "{1}.a" }] },
        ],
      ] as [rule: string, rewrite: object, left?: string[]][]
    ).map(([rule, rewrite, left = []]): [string, string, object, string[]] => [
      `rewrite ${rule}`,
      corefile(`rewrite ${rule}`),
      { rewrites: [rewrite] },
      left,
    ]),
    [
      "a rule after which others follow",
      corefile("rewrite continue name a.example b.example"),
      {},
      ["rewrite continue name a.example b.example: rewrite cannot be added to a block of ours:"],
    ],
    [
      "such a rule beside one that has a key",
      corefile("rewrite name c.example d.example; rewrite continue name a.example b.example"),
      { rewrites: [{ from: "c.example", to: "d.example" }] },
      ["rewrite continue name a.example b.example: rewrite cannot be added to a block of ours:"],
    ],
    [
      "hosts",
      corefile("hosts { 10.1.2.3 db.example c.example; ttl 60; fallthrough }"),
      { hostAliases: [{ ip: "10.1.2.3", hostnames: ["db.example", "c.example"] }] },
      ["hosts ttl 60; ours: ttl 3600"],
    ],
    [
      "probes where they are by default",
      corefile().replace("ready", "ready :8181").replace("health", "health :8080"),
      {},
    ],
    [
      "hosts with names that are none, or are the cluster's",
      corefile("hosts { 10.1.2.3 db.example *.apps.example 10.1.2.9; 10.1.2.4 a.b.svc.cluster.local; fallthrough }"),
      { hostAliases: [{ ip: "10.1.2.3", hostnames: ["db.example"] }] },
      [
        "hosts entry 10.1.2.3 db.example *.apps.example 10.1.2.9; ours: entry 10.1.2.3 db.example",
        "hosts entry 10.1.2.4 a.b.svc.cluster.local; ours: entry 10.1.2.3 db.example",
      ],
    ],
    [
      "hosts for some zones, whose other names it does not answer",
      corefile("hosts custom.hosts corp.example lab.example { 10.1.2.3 a.corp.example b.example; fallthrough }"),
      { hostAliases: [{ ip: "10.1.2.3", hostnames: ["a.corp.example"] }] },
      [
        'hosts file custom.hosts: hosts reads "custom.hosts", which the pods do not have;',
        "hosts no_reverse (corp.example, lab.example)",
      ],
    ],
    [
      "hosts of a file that is not there, for one zone",
      corefile("hosts /etc/coredns/a.db corp.local { fallthrough }"),
      {},
      ['hosts file /etc/coredns/a.db, ttl 3600, fallthrough yes: hosts reads "/etc/coredns/a.db",'],
    ],
    [
      "upstreams",
      corefile("", "dns://8.8.8.8:53 [2001:db8::1]:5353"),
      { upstreamNameservers: ["8.8.8.8", "[2001:db8::1]:5353"] },
    ],
    [
      "TLS with one name",
      forwarding("tls://9.9.9.9 tls://149.112.112.112:853", "policy sequential; tls_servername dns.quad9.net"),
      {
        upstreamNameservers: ["9.9.9.9", "149.112.112.112"],
        upstreamTLSServerName: "dns.quad9.net",
        upstreamPolicy: "sequential",
      },
    ],
    [
      "TLS at the port of plain DNS, which ours refuses",
      forwarding("tls://9.9.9.9:53", "tls_servername dns.quad9.net"),
      {},
      [
        `forward to tls://9.9.9.9:53; ours: to /etc/resolv.conf: 53 is plain DNS's port; to ask over TLS at another, ${setUpstreams}`,
        "forward tls_servername dns.quad9.net",
      ],
    ],
    [
      "options of a forward",
      forwarding(
        "8.8.8.8 8.8.4.4",
        "max_age 60s; max_fails 2; expire 20s; failover SERVFAIL REFUSED; prefer_udp; read_timeout 1s; failfast_all_unhealthy_upstreams; health_check 5s no_rec domain a.example",
      ),
      {
        upstreamNameservers: ["8.8.8.8", "8.8.4.4"],
        upstreamOptions: {
          protocol: "udp",
          failover: ["SERVFAIL", "REFUSED"],
          timeout: "1s",
          healthCheck: { interval: "5s", domain: "a.example", recursive: false },
          failFast: true,
          expire: "20s",
        },
      },
      // Upstream's node-cache, which a cluster without `agentImage` gets, does not know it.
      ["forward read_timeout 1s"],
    ],
    [
      "a zone whose servers have options",
      beside(
        "corp.example { forward . tls://10.1.2.3 { tls_servername dns.corp.example; max_fails 0; max_concurrent 1000 }; cache 30 }",
      ),
      {
        zones: {
          "corp.example": { forward: { servers: ["10.1.2.3"], tlsServerName: "dns.corp.example", maxFails: 0 } },
        },
      },
    ],
    ...(
      [
        [
          "tls://1.1.1.1%one.example tls://9.9.9.9%nine.example",
          "there is one TLS name for all; to ask those of one provider",
        ],
        ["tls://1.1.1.1 tls://9.9.9.9", "TLS needs the name in the servers' certificate; to ask them over TLS"],
        ["tls://1.1.1.1 9.9.9.9", "all servers are asked over TLS, or none; to ask those of one kind"],
        ["https://9.9.9.9", "DNS over HTTPS has no key; to ask the same servers over TLS"],
        ["dns.corp.example", "a cluster file has addresses of servers; to ask them"],
      ] as const
    ).map(([servers, why]): [string, string, object, string[]] => [
      `${servers} never becomes plain DNS in silence`,
      corefile("", servers),
      {},
      [`forward to ${servers}; ours: to /etc/resolv.conf: ${why}, ${setUpstreams}`],
    ]),
    [
      "TLS with several names, of a block",
      beside("corp.example { forward . tls://10.1.2.3%a.example tls://10.1.2.4%b.example }"),
      asText({ blocks: "corp.example:53 { forward . tls://10.1.2.3%a.example tls://10.1.2.4%b.example }" }),
    ],
    [
      "a cache that keeps the cluster's names for less than they say",
      corefile().replace(/cache 30 \{[^}]*\}/, "cache { success 9984 9 }"),
      {
        authoritativeDNS: { ttl: 9, cache: { success: { ttl: 9 }, denial: { ttl: 1800 } } },
        nodeLocalDNS: { outsideCache: { success: { ttl: 9 }, denial: { ttl: 1800 } } },
      },
    ],
    [
      "further domains of the cluster, which get a block of their own",
      corefile("minimal").replace("kubernetes cluster.local", "kubernetes cluster.local old.example cluster.local"),
      asText({
        clusterNames: "minimal",
        otherNames: "minimal",
        blocks:
          "old.example:53 { minimal; cache 30 { disable success cluster.local; disable denial cluster.local }; loadbalance; kubernetes old.example { pods insecure; fallthrough in-addr.arpa ip6.arpa; ttl 30 } }",
      }),
    ],
    [
      "names of k8s_external, which get a block of their own, with the plugin that it needs",
      corefile("k8s_external ext.example { ttl 60 }").replace(/cache 30 \{[^}]*\}/, ""),
      asText({
        blocks:
          "ext.example:53 { loadbalance; kubernetes cluster.local { pods insecure; fallthrough in-addr.arpa ip6.arpa; ttl 30 }; k8s_external ext.example { ttl 60 } }",
      }),
      ["no cache; ours: success ttl 30, denial ttl 30"],
    ],
    [
      "a zone whose other queries a view leaves to its servers",
      beside("corp.example { view a { expr type() == 'TXT' }; any }\n" + stub("corp.example")),
      { ...stubbed, ...asText({ blocks: "corp.example:53 { view a { expr type() == 'TXT' }; any }" }) },
      ["server block corp.example, which is for some queries only: the node cache hides which pod asks"],
    ],
    [
      "servers of a reverse zone that has names of Services",
      corefile("forward 10.in-addr.arpa 10.1.2.3"),
      {},
      ["forward to 10.1.2.3; ours: to /etc/resolv.conf: CoreDNS answers names of Services in this"],
    ],
    [
      "a cluster whose API server is another",
      beside("b.local { kubernetes b.local { kubeconfig /etc/b } }"),
      {},
      [
        ...nothingAsked.map((each) => `server block b.local: ${each}`),
        "server block b.local { kubernetes b.local { kubeconfig /etc/b } }: kubernetes reads",
      ],
    ],
    [
      "names of other clusters, which get a block of their own",
      corefile()
        .replace("cluster.local in-addr", "cluster.local clusterset.local in-addr")
        .replace("pods insecure", "pods insecure; multicluster clusterset.local"),
      asText({
        blocks:
          "clusterset.local:53 { cache 30 { disable success cluster.local; disable denial cluster.local }; loadbalance; kubernetes clusterset.local { pods insecure; multicluster clusterset.local; ttl 30 } }",
      }),
    ],
    [
      "nothing for names outside, where ours has the node's servers",
      `cluster.local in-addr.arpa ip6.arpa { ${kubernetes}; forward . /etc/resolv.conf }\n`,
      {},
      nothingAsked,
    ],
    ["no upstream, where ours has the node's", `.:53 { ${kubernetes}; errors }\n`, {}, nothingAsked],
    [
      "the plugin that was forward until CoreDNS 1.5",
      `.:53 { ${kubernetes}; proxy . 8.8.8.8; cache 30 }; abc.example:53 { cache 30; proxy . 1.2.3.4 }\n`,
      { upstreamNameservers: ["8.8.8.8"], stubDomains: { "abc.example": ["1.2.3.4"] } },
    ],
    ["a stub domain of a block", beside(stub("corp.example:53")), stubbed],
    ["a stub domain of a forward", corefile("forward corp.example 10.1.2.3"), stubbed],
    [
      "the longest zone before the first forward",
      corefile("forward corp.example 10.9.9.9", undefined, stub("corp.example")),
      stubbed,
    ],
    [
      "a stub domain that says more",
      beside(stub("corp.example", "cache 60; template ANY ANY; log; errors; reload")),
      asText({ blocks: "corp.example:53 { forward . 10.1.2.3; cache 60; template ANY ANY; log }" }),
    ],
    [
      "a stub domain whose answers are kept otherwise",
      beside(stub("corp.example", "cache 60")),
      stubbed,
      [
        "server block corp.example: cache success ttl 60; ours: success ttl 30",
        "server block corp.example: cache denial ttl 60; ours: denial ttl 30",
      ],
    ],
    [
      "a stub domain without what ours would add",
      corefile("rewrite name suffix old.example new.example", undefined, stub("corp.example") + stub("b.old.example")),
      {
        rewrites: [{ match: "suffix", from: "old.example", to: "new.example", answer: "unchanged" }],
        ...asText({
          blocks: "corp.example:53 { forward . 10.1.2.3; cache 30 }; b.old.example:53 { forward . 10.1.2.3; cache 30 }",
        }),
      },
    ],
    [
      "a block of which ours would miss what answers",
      beside(stub("corp.example", "cache 30; dynamo")),
      stubbed,
      [
        `server block corp.example { forward . 10.1.2.3; cache 30; dynamo }: dynamo is no plugin of CoreDNS v${version}; one of an image of your own is named in authoritativeDNS.corefile.plugins`,
      ],
    ],
    [
      "servers of a zone that are the cluster's DNS, which names reach that become others",
      corefile("", undefined, "a.example { rewrite name a.example a.default.svc.cluster.local; forward . 10.96.0.10 }"),
      asText({
        blocks: "a.example:53 { rewrite name a.example a.default.svc.cluster.local; forward . 10.96.0.10 }",
      }),
    ],
    [
      "servers of a zone that are the cluster's DNS, without an end",
      corefile("", undefined, "a.example { forward . 10.96.0.10; cache 30 }"),
      {},
      [
        "server block a.example: forward to 10.96.0.10; ours: to /etc/resolv.conf",
        'server block a.example { forward . 10.96.0.10; cache 30 }: forward: "10.96.0.10" is the cluster\'s own DNS:',
      ],
    ],
    [
      "a stub domain in the pod itself",
      beside("corp.example { cache 30; forward . 127.0.0.1:5353 }; corp.example:5353 { whoami }"),
      {},
      [
        "server block corp.example: forward to 127.0.0.1:5353; ours: to /etc/resolv.conf",
        "server block corp.example { cache 30; forward . 127.0.0.1:5353 }: forward:",
        "server block corp.example:5353 { whoami }: pods ask only for plain DNS, at port 53",
      ],
    ],
    [
      "stub domains with names of JavaScript",
      beside(stub("constructor") + stub("__proto__")),
      { stubDomains: JSON.parse('{"constructor":["10.1.2.3"],"__proto__":["10.1.2.3"]}') as object },
    ],
    [
      "the block for everybody, not that of a view",
      `.:53 { view canary { expr client_ip() == '10.0.0.7' }; hosts { 10.1.2.3 db.example };  ${kubernetes} }\n${corefile()}`,
      asText({
        blocks: `.:53 cluster.local:53 in-addr.arpa:53 ip6.arpa:53 { view canary { expr client_ip() == '10.0.0.7' }; hosts { 10.1.2.3 db.example }; kubernetes cluster.local in-addr.arpa ip6.arpa { pods insecure; fallthrough in-addr.arpa ip6.arpa; ttl 30 } }`,
      }),
      ["server block . cluster.local, which is for some queries only: the node cache hides which pod asks"],
    ],
    [
      "a view that k8s-dns-node-cache lacks is not dropped from its block",
      beside("corp.example { view a { expr name() == 'a.corp.example.' }; forward . 10.1.1.1 }"),
      asText({ blocks: "corp.example:53 { view a { expr name() == 'a.corp.example.' }; forward . 10.1.1.1 }" }),
      ["server block corp.example, which is for some queries only: the node cache hides which pod asks"],
    ],
    [
      "secrets",
      corefile("route53 corp.example.:Z1 { aws_access_key ABC DEF }"),
      {},
      ["route53 corp.example.:Z1 { aws_access_key ... }: aws_access_key is a secret, which a"],
    ],
    [
      "rules and hosts for names of a block, which never see them",
      corefile(
        "rewrite name a.corp.example b.example; hosts { 10.1.1.1 h.corp.example; fallthrough }",
        undefined,
        stub("corp.example", "log; cache 30"),
      ),
      asText({ blocks: "corp.example:53 { forward . 10.1.2.3; log; cache 30 }" }),
      // What it lacks is the reverse name.
      ["hosts entry 10.1.1.1 h.corp.example, ttl 3600, fallthrough yes"],
    ],
    [
      "a key of a client for servers of a zone, which pods do not have",
      beside(
        "corp.example { cache 30; forward . tls://10.1.2.3 { tls_servername a.example; tls /etc/cert /etc/key } }",
      ),
      { zones: { "corp.example": { forward: { servers: ["10.1.2.3"], tlsServerName: "a.example" } } } },
      [
        "server block corp.example: forward tls /etc/cert /etc/key",
        "server block corp.example { cache 30; forward . tls://10.1.2.3 { tls_servername",
      ],
    ],
    [
      "a forward behind another one for its names",
      corefile("", "8.8.8.8").replace(
        "cache 30",
        "forward a.corp.example 10.1.1.1; forward corp.example 10.1.1.2; forward . 10.1.1.3 { expire 5s }; cache 30",
      ),
      {
        upstreamNameservers: ["8.8.8.8"],
        stubDomains: { "corp.example": ["8.8.8.8"], "a.corp.example": ["8.8.8.8"] },
      },
      ["a.corp.example 10.1.1.1", "corp.example 10.1.1.2", ". 10.1.1.3 { expire 5s }"].map(
        (each) => `forward ${each}: it is behind forward . 8.8.8.8 { max_concurrent 1000 }, which leaves it no name`,
      ),
    ],
    [
      "the same behind one that excepts names",
      corefile("", "8.8.8.8")
        .replace("max_concurrent 1000", "except corp.example")
        .replace("cache 30", "forward . 10.1.1.3; cache 30"),
      { upstreamNameservers: ["8.8.8.8"] },
      [
        "forward except corp.example",
        "forward . 10.1.1.3: it is behind forward . 8.8.8.8 { except corp.example }, which leaves it only some names (except)",
      ],
    ],
    [
      "what two blocks for further domains share, and a cluster file cannot have",
      corefile("dynamo")
        .replace("cluster.local in-addr", "cluster.local other.local in-addr")
        .replace("pods insecure", "pods insecure; multicluster clusterset.local"),
      {},
      [
        `dynamo: dynamo is no plugin of CoreDNS v${version}; one of`,
        ...["other.local", "clusterset.local"].flatMap((zone) =>
          ["dynamo: dynamo is no plugin", ...nothingAsked].map((each) => `server block ${zone}: ${each}`),
        ),
        "server block other.local { dynamo; cache 30 {",
        "server block clusterset.local { dynamo; cache 30 {",
      ],
    ],
    [
      "another port, and other protocols",
      `${corefile().replace(".:53", ".:5353")}${stub("corp.example:5353")}tls://. { whoami }\n`,
      stubbed,
      ["server block tls://. { whoami }: pods ask only for plain DNS, at port 5353"],
    ],
    [
      "no reverse names",
      corefile().replace("cluster.local in-addr.arpa ip6.arpa {", "cluster.local {"),
      {},
      ["no kubernetes for these names; ours answers those of the cluster (in-addr.arpa, ip6.arpa)"],
    ],
    [
      "how CoreDNS runs",
      corefile().replace("9153", "9154").replace("reload", "reload 5s").replace("lameduck 5s", "lameduck 9s"),
      {},
      [
        "reload 5s: reload is not needed: another Corefile replaces the pods",
        "health lameduck 9s; ours: lameduck 15s",
        "prometheus :9154; ours: :9153",
      ],
    ],
  ])("%s", (_, text, said, left = []) => {
    expect(read(text)).toEqual({ said, left: left.map((each) => expect.stringContaining(each) as string) });
  });
});

describe("the cache for names outside the cluster", () => {
  const cached = (cache: string) => {
    const { said, left } = read(corefile().replace(/cache 30 \{[^}]*\}/, cache));
    return { said: (said as { authoritativeDNS?: { cache?: object } }).authoritativeDNS?.cache, left };
  };

  it.each<[what: string, cache: string, said: object | undefined, left?: string[]]>([
    ["ours", "cache 30", undefined],
    ["CoreDNS's own TTLs", "cache", { success: { ttl: 3600 }, denial: { ttl: 1800 } }],
    [
      "of each class",
      "cache { success 5000 60; denial 100 }",
      { success: { capacity: 5000, ttl: 60 }, denial: { ttl: 1800 } },
    ],
    [
      "none of negative answers",
      "cache 60 { disable denial }",
      { success: { ttl: 60 } },
      ["cache denial ttl 0; ours: denial ttl 30"],
    ],
    ["what CoreDNS cannot read", "cache 30 { prefetch 30% }", undefined, ["cache prefetch 30%"]],
    ["what 0 turns off", "cache 30 { prefetch 0; serve_stale 0s }", undefined],
    [
      "what serve_stale and prefetch say",
      "cache 30 { prefetch 10 2m 20%; serve_stale 2h verify 2s 10s 5s; serve_stale_policy prefer_positive }",
      {
        prefetch: { amount: 10, duration: "2m", percentage: 20 },
        serveStale: {
          duration: "2h",
          refresh: "verify",
          timeout: "2s",
          responseTTL: "10s",
          failureRecheck: "5s",
          preferPositive: true,
        },
      },
    ],
    ["serve_stale's defaults", "cache 30 { serve_stale }", { serveStale: { duration: "1h", refresh: "immediate" } }],
    ["of one zone", "cache 30 corp.local", undefined, ["cache only for corp.local"]],
    ["more than ours knows", "cache 30 { keepttl }", undefined, ["cache keepttl"]],
  ])("%s", (_, cache, said, left = []) => {
    const found = cached(cache);
    expect(found.said).toEqual(said);
    expect(found.left.filter((each) => !each.startsWith("no "))).toEqual(expect.arrayContaining(left));
  });
});

it.each<[what: string, text: string, why: string[]]>([
  ["that of kubeadm", corefile(), []],
  [
    "a plugin twice, and a zone of two blocks",
    corefile(
      "hosts { 10.1.1.1 a.example }; hosts { 10.1.1.2 b.example }",
      undefined,
      stub("x.example") + stub("X.example.:53"),
    ),
    ["two server blocks for x.example", "hosts twice in server block ."],
  ],
  [
    "blocks that share a zone by views, or by addresses",
    corefile(
      "",
      undefined,
      stub("x.example", "view a { expr true }") +
        stub("x.example") +
        stub("y.example", "bind ::1") +
        stub("y.example", "bind ::2"),
    ),
    [],
  ],
])("CoreDNS may refuse what a ConfigMap has, and run on with what it had: %s", (_, text, why) => {
  expect(taken(kubeadm(spread(text))).todo).toEqual(
    why.map(
      (each) =>
        `ConfigMap coredns: CoreDNS refuses this Corefile (${each}), and runs with an older one, or not at all: mend it, then run init again`,
    ),
  );
});

describe("what pods mount counts", () => {
  const custom = {
    "a.server": spread("corp.example:53 { cache 30; forward . 10.1.2.3 }"),
    "b.override": spread("hosts { 10.9.8.7 legacy.example; fallthrough }; log"),
    "c.unread": "whoami",
  };
  const importing = (lines: string, after: string) =>
    configMap("coredns", { Corefile: spread(corefile(lines, undefined, after)) });
  const cluster = (...more: object[]) => [service, node(), kubeProxy(), ...more];

  it("of what is imported", () => {
    const workload = coreDns({}, {}, { "coredns-custom": "/etc/coredns/custom" });
    const text = importing("import custom/*.override", "import /etc/coredns/custom/*.server");
    expect(taken(cluster(workload, text, configMap("coredns-custom", custom)))).toMatchObject({
      own: { ...stubbed, hostAliases: [{ ip: "10.9.8.7", hostnames: ["legacy.example"] }], queryLog: {} },
      different: [],
    });
    // CoreDNS takes a pattern without files for nothing.
    expect(taken(cluster(workload, text)).different).toEqual([]);
  });

  it("of several ConfigMaps in one volume", () => {
    const source = (name: string) => ({ configMap: { name } });
    const workload = (...sources: object[]) => coreDns({ volumes: [{ name: "coredns", projected: { sources } }] });
    const mounting = (...sources: object[]) =>
      taken(
        cluster(
          workload(source("coredns"), source("coredns-custom"), ...sources),
          importing("import *.override", "import *.server"),
          configMap("coredns-custom", custom),
        ),
      );
    expect(mounting()).toMatchObject({
      own: { ...stubbed, hostAliases: [{ ip: "10.9.8.7", hostnames: ["legacy.example"] }], queryLog: {} },
      different: [],
    });
    // Others may have files of such names, too.
    expect(mounting({ secret: {} }).different).toEqual([
      "Deployment coredns: volume coredns",
      expect.stringMatching("import \\*.override: no ConfigMap among the objects has its files"),
      expect.stringMatching("import \\*.server: no ConfigMap among the objects has its files"),
    ]);
    expect(mounting(source("absent")).different).toContain(
      "ConfigMap absent, which DNS pods mount, is not among the objects",
    );
  });

  it("of a file of hosts", () => {
    const text = corefile("hosts /etc/coredns/hosts { fallthrough }");
    const data = { Corefile: spread(text), hosts: "192.0.2.7 registry.corp # ours" };
    expect(taken(cluster(coreDns(), configMap("coredns", data)))).toMatchObject({
      own: { hostAliases: [{ ip: "192.0.2.7", hostnames: ["registry.corp"] }] },
      different: [],
    });
  });

  it("of the file of a zone", () => {
    const file = "@ 60 IN SOA ns hostmaster 1 2 3 4 5\nwww 60 IN A 192.0.2.12\n";
    const text = corefile("file /etc/coredns/db.corp corp.example", undefined, "lab.example { file db.corp }");
    expect(taken(cluster(coreDns(), configMap("coredns", { Corefile: spread(text), "db.corp": file })))).toMatchObject({
      own: { zones: { "corp.example": { file }, "lab.example": { file } } },
      different: [],
    });
  });

  it("of such a file, whose block says more", () => {
    const file = "@ 60 IN SOA ns hostmaster 1 2 3 4 5\n";
    const text = corefile(
      "",
      undefined,
      "a.example { file db.a; log }\nb.example { file db.a; minimal; file db.absent c.example }",
    );
    expect(taken(cluster(coreDns(), configMap("coredns", { Corefile: spread(text), "db.a": file })))).toMatchObject({
      own: { zones: { "a.example": { file }, "b.example": { file } } },
      different: [
        "ConfigMap coredns: server block a.example: log .",
        expect.stringMatching(
          /^ConfigMap coredns: server block b.example \{ file db.a; minimal; file db.absent c.example \}: /,
        ),
      ],
    });
  });

  it.each<[what: string, objects: object[], different: string[]]>([
    [
      "another one that is there",
      [coreDns(), configMap("core", { Corefile: corefile("log") })],
      ["ConfigMap coredns, which DNS pods mount, is not among the objects"],
    ],
    [
      "one without the key",
      [coreDns(), configMap("coredns", {})],
      ["Deployment coredns: Corefile /etc/coredns/Corefile is not read: no ConfigMap among the"],
    ],
    [
      "what is imported, without pods that show from where",
      [
        importing("import custom/*.override", "import /etc/coredns/custom/*.server"),
        configMap("coredns-custom", custom),
      ],
      [
        "ConfigMap coredns: import custom/*.override: no ConfigMap among the objects has its files:",
        "ConfigMap coredns: import /etc/coredns/custom/*.server: no ConfigMap among the objects has",
      ],
    ],
    [
      "one without a server block",
      [coreDns(), configMap("coredns", { Corefile: "# later\n" })],
      ["ConfigMap coredns: cannot be read as a Corefile: it has no server block"],
    ],
    [
      "one that is no Corefile",
      [coreDns(), configMap("coredns", { Corefile: ". { " })],
      ["ConfigMap coredns: cannot be read as a Corefile: a brace is not closed"],
    ],
    [
      "one that no cluster can hold",
      [coreDns(), configMap("coredns", { Corefile: " ".repeat(2 ** 20 + 1) })],
      ["ConfigMap coredns: cannot be read as a Corefile: has 1048577 characters; a ConfigMap has"],
    ],
  ])("and is missed, not replaced: %s", (_, objects, different) => {
    expect(taken(cluster(...objects)).different).toEqual(
      different.map((each) => expect.stringContaining(each) as string),
    );
  });
});
