import { it } from "vitest";
import { defaults } from "../../../src/model/defaults";
import { asBlocks, asText, beside, expectTaken, nothingAsked, type Row, stub, stubbed } from "./from-corefile";
import { corefile, kubernetes } from "./objects";

const shared = "cache 30 { disable success cluster.local; disable denial cluster.local }; loadbalance";
const ofCluster = (zones = "cluster.local") =>
  `kubernetes ${zones} { pods insecure; fallthrough in-addr.arpa ip6.arpa; ttl 30 }`;
const canary = "view canary { expr client_ip() == '10.0.0.7' }; hosts { 10.1.2.3 db.example }";
const withClusterSet = (text: string, zone: string) =>
  text.replace(" in-addr", ` ${zone} in-addr`).replace("pods insecure", "$&; multicluster clusterset.local");
const forSome = "server block corp.example, which is for some queries only: the node cache hides which pod asks";
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
    asBlocks("corp.example:53 { forward . tls://10.1.2.3%a.example tls://10.1.2.4%b.example }"),
  ],
  [
    "further domains of the cluster, which get a block of their own",
    corefile("minimal").replace("kubernetes cluster.local", "$& old.example eu.cluster.local cluster.local"),
    asText({
      clusterNames: "minimal",
      otherNames: "minimal",
      blocks: `old.example:53 eu.cluster.local:53 { minimal; ${shared}; ${ofCluster("old.example eu.cluster.local")} }`,
    }),
  ],
  [
    "the same of a block that has them as keys, at another port",
    `${corefile().replace(kubernetes, "").replace(".:53", ".:5353")}cluster.local:5353 old.example:5353 in-addr.arpa:5353 ip6.arpa:5353 { kubernetes { multicluster old.example.; fallthrough in-addr.arpa ip6.arpa; pods insecure; ttl 30 }; forward . /etc/resolv.conf }`,
    asBlocks("old.example:53 { kubernetes old.example { multicluster old.example.; pods insecure; ttl 30 } }"),
  ],
  [
    "names of k8s_external, which get a block of their own, with the plugin that it needs",
    corefile("k8s_external ext.example { ttl 60 }").replace(/cache 30 \{[^}]*\}/, ""),
    asBlocks(`ext.example:53 { loadbalance; ${ofCluster()}; k8s_external ext.example { ttl 60 } }`),
    nothingAsked.slice(1),
  ],
  [
    "the same with reverse names, which Services have as well",
    corefile("k8s_external ext.example 10.0.0.0/8 { fallthrough }").replace(/cache 30 \{[^}]*\}/, ""),
    asBlocks(
      `ext.example:53 10.in-addr.arpa:53 { forward . /etc/resolv.conf { max_concurrent 1000 }; loadbalance; ${ofCluster("cluster.local 10.in-addr.arpa")}; k8s_external ext.example 10.0.0.0/8 { fallthrough } }`,
    ),
    nothingAsked.slice(1),
  ],
  [
    "a zone whose other queries a view leaves to its servers",
    beside("corp.example { view a { expr type() == 'TXT' }; any }\n" + stub("corp.example")),
    { ...stubbed, ...asBlocks("corp.example:53 { view a { expr type() == 'TXT' }; any }") },
    [forSome],
  ],
  [
    "a cluster whose API server is another",
    beside("b.local { kubernetes b.local { kubeconfig /etc/b } }"),
    {},
    [...nothingAsked.map((each) => `server block b.local: ${each}`), "server block b.local { kubernetes b"],
  ],
  [
    "names of other clusters, which get a block of their own",
    withClusterSet(corefile(), "clusterset.local"),
    asBlocks(
      `clusterset.local:53 { ${shared}; kubernetes clusterset.local { pods insecure; multicluster clusterset.local; ttl 30 } }`,
    ),
  ],
  [
    "a rule that leads from one of its domains to another",
    withClusterSet(corefile("rewrite name suffix .clusterset.local .cluster.local"), "clusterset.local"),
    asBlocks(
      `clusterset.local:53 { rewrite name suffix .clusterset.local .cluster.local; kubernetes cluster.local clusterset.local in-addr.arpa ip6.arpa { pods insecure; multicluster clusterset.local; fallthrough in-addr.arpa ip6.arpa; ttl 30 }; forward . /etc/resolv.conf { max_concurrent 1000 }; ${shared} }`,
    ),
  ],
  ["autopath beside kubernetes", corefile("autopath @kubernetes"), asText({ clusterNames: "autopath @kubernetes" })],
  [
    "a stub domain that says more",
    beside(stub("corp.example", "cache 60; template ANY ANY; log; errors; reload")),
    asBlocks("corp.example:53 { forward . 10.1.2.3; cache 60; template ANY ANY; log }"),
  ],
  [
    "a stub domain whose answers are kept otherwise",
    beside(stub("corp.example", "cache 60")),
    stubbed,
    ["success", "denial"].map((of) => `server block corp.example: cache ${of} ttl 60`),
  ],
  [
    "a stub domain without what ours would add",
    corefile("rewrite name suffix old.example new.example", undefined, stub("corp.example") + stub("b.old.example")),
    {
      rewrites: [{ match: "suffix", from: "old.example", to: "new.example", answer: "unchanged" }],
      ...asBlocks(
        "corp.example:53 { forward . 10.1.2.3; cache 30 }; b.old.example:53 { forward . 10.1.2.3; cache 30 }",
      ),
    },
  ],
  [
    "a block of which ours would miss what answers",
    beside(stub("corp.example", "cache 30; dynamo")),
    stubbed,
    [
      `server block corp.example { forward . 10.1.2.3; cache 30; dynamo }: dynamo is no plugin of CoreDNS v${version}; one of`,
    ],
  ],
  [
    "servers of a zone that are the cluster's DNS, which names reach that become others",
    beside("a.example { rewrite name a.example a.default.svc.cluster.local; forward . 10.96.0.10 }"),
    asBlocks("a.example:53 { rewrite name a.example a.default.svc.cluster.local; forward . 10.96.0.10 }"),
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
    `.:53 { ${canary};  ${kubernetes} }\n${corefile()}`,
    asBlocks(
      `.:53 cluster.local:53 in-addr.arpa:53 ip6.arpa:53 { ${canary}; ${ofCluster("cluster.local in-addr.arpa ip6.arpa")} }`,
    ),
    [forSome.replace("corp.example", ". cluster.local")],
  ],
  [
    "a view that k8s-dns-node-cache lacks is not dropped from its block",
    beside("corp.example { view a { expr name() == 'a.corp.example.' }; forward . 10.1.1.1 }"),
    asBlocks("corp.example:53 { view a { expr name() == 'a.corp.example.' }; forward . 10.1.1.1 }"),
    [forSome],
  ],
  [
    "a key of a client for servers of a zone, which pods do not have",
    beside("corp.example { cache 30; forward . tls://10.1.2.3 { tls_servername a.example; tls /etc/cert /etc/key } }"),
    { zones: { "corp.example": { forward: { servers: ["10.1.2.3"], tlsServerName: "a.example" } } } },
    ["server block corp.example: forward tls /etc/cert /etc/key", "server block corp.example { cache 30"],
  ],
  [
    "what two blocks for further domains share, and a cluster file cannot have",
    withClusterSet(corefile("dynamo"), "other.local"),
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
