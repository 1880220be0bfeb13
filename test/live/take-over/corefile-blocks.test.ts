import { it } from "vitest";
import { defaults } from "../../../src/model/defaults";
import { asText, beside, expectTaken, nothingAsked, type Row, stub, stubbed } from "./from-corefile";
import { corefile, kubernetes } from "./objects";

const version = defaults.authoritativeDNS.image.split(":v")[1];

it.each<Row>([
  [
    "a zone whose servers have options",
    beside("corp.example { forward . tls://10.1.2.3 { tls_servername dns.example; max_fails 0  }; cache 30 }"),
    { zones: { "corp.example": { forward: { servers: ["10.1.2.3"], tlsServerName: "dns.example", maxFails: 0 } } } },
  ],
  [
    "TLS with several names, of a block",
    beside("corp.example { forward . tls://10.1.2.3%a.example tls://10.1.2.4%b.example }"),
    asText({ blocks: "corp.example:53 { forward . tls://10.1.2.3%a.example tls://10.1.2.4%b.example }" }),
  ],
  [
    "further domains of the cluster, which get a block of their own",
    corefile("minimal").replace(
      "kubernetes cluster.local",
      "kubernetes cluster.local old.example eu.cluster.local cluster.local",
    ),
    asText({
      clusterNames: "minimal",
      otherNames: "minimal",
      blocks:
        "old.example:53 eu.cluster.local:53 { minimal; cache 30 { disable success cluster.local; disable denial cluster.local }; loadbalance; kubernetes old.example eu.cluster.local { pods insecure; fallthrough in-addr.arpa ip6.arpa; ttl 30 } }",
    }),
  ],
  [
    "the same of a block that has them as keys, at another port",
    `${corefile().replace(kubernetes, "").replace(".:53", ".:5353")}cluster.local:5353 old.example:5353 in-addr.arpa:5353 ip6.arpa:5353 { kubernetes { multicluster old.example.; fallthrough in-addr.arpa ip6.arpa; pods insecure; ttl 30 }; forward . /etc/resolv.conf }`,
    asText({
      blocks: "old.example:53 { kubernetes old.example { multicluster old.example.; pods insecure; ttl 30 } }",
    }),
  ],
  [
    "names of k8s_external, which get a block of their own, with the plugin that it needs",
    corefile("k8s_external ext.example { ttl 60 }").replace(/cache 30 \{[^}]*\}/, ""),
    asText({
      blocks:
        "ext.example:53 { loadbalance; kubernetes cluster.local { pods insecure; fallthrough in-addr.arpa ip6.arpa; ttl 30 }; k8s_external ext.example { ttl 60 } }",
    }),
    nothingAsked.slice(1),
  ],
  [
    "the same with reverse names, which Services have as well",
    corefile("k8s_external ext.example 10.0.0.0/8 { fallthrough }").replace(/cache 30 \{[^}]*\}/, ""),
    asText({
      blocks:
        "ext.example:53 10.in-addr.arpa:53 { forward . /etc/resolv.conf { max_concurrent 1000 }; loadbalance; kubernetes cluster.local 10.in-addr.arpa { pods insecure; fallthrough in-addr.arpa ip6.arpa; ttl 30 }; k8s_external ext.example 10.0.0.0/8 { fallthrough } }",
    }),
    nothingAsked.slice(1),
  ],
  [
    "a zone whose other queries a view leaves to its servers",
    beside("corp.example { view a { expr type() == 'TXT' }; any }\n" + stub("corp.example")),
    { ...stubbed, ...asText({ blocks: "corp.example:53 { view a { expr type() == 'TXT' }; any }" }) },
    ["server block corp.example, which is for some queries only: the node cache hides which pod asks"],
  ],
  [
    "a cluster whose API server is another",
    beside("b.local { kubernetes b.local { kubeconfig /etc/b } }"),
    {},
    [...nothingAsked.map((each) => `server block b.local: ${each}`), "server block b.local { kubernetes b"],
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
    "a stub domain that says more",
    beside(stub("corp.example", "cache 60; template ANY ANY; log; errors; reload")),
    asText({ blocks: "corp.example:53 { forward . 10.1.2.3; cache 60; template ANY ANY; log }" }),
  ],
  [
    "a stub domain whose answers are kept otherwise",
    beside(stub("corp.example", "cache 60")),
    stubbed,
    ["server block corp.example: cache success ttl 60", "server block corp.example: cache denial ttl 60"],
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
    beside("a.example { rewrite name a.example a.default.svc.cluster.local; forward . 10.96.0.10 }"),
    asText({ blocks: "a.example:53 { rewrite name a.example a.default.svc.cluster.local; forward . 10.96.0.10 }" }),
  ],
  [
    "servers of a zone that are the cluster's DNS, without an end",
    beside("a.example { forward . 10.96.0.10; cache 30 }"),
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
    "a key of a client for servers of a zone, which pods do not have",
    beside("corp.example { cache 30; forward . tls://10.1.2.3 { tls_servername a.example; tls /etc/cert /etc/key } }"),
    { zones: { "corp.example": { forward: { servers: ["10.1.2.3"], tlsServerName: "a.example" } } } },
    ["server block corp.example: forward tls /etc/cert /etc/key", "server block corp.example { cache 30"],
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
])("a server block becomes keys, text, or a difference: %s", (_, text, said, left) => expectTaken(text, said, left));
