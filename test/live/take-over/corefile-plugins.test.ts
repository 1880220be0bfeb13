import { expect, it } from "vitest";
import { defaults } from "../../../src/model/defaults";
import { asText, expectTaken, type Row, stub, stubbed } from "./from-corefile";
import { corefile, kubeadm, kubernetes, taken } from "./objects";

const version = defaults.authoritativeDNS.image.split(":v")[1];

it.each<Row>([
  ["kubeadm's", corefile(), {}],
  ["2018's", corefile().replace(/lameduck 5s|max_c.*|ttl 30|disable .*/g, ""), { authoritativeDNS: { ttl: 5 } }],
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
    "IPv6 addresses of some names, before there are none",
    corefile("template IN AAAA a.example; template ANY AAAA { rcode NOERROR }"),
    asText({
      clusterNames: "template ANY AAAA { rcode NOERROR }",
      otherNames: "template IN AAAA a.example; template ANY AAAA { rcode NOERROR }",
    }),
  ],
  [
    "what has no key, for names of some zones",
    corefile("template ANY A b.example; template ANY A a.svc.cluster.local; any"),
    asText({ clusterNames: "template ANY A a.svc.cluster.local; any", otherNames: "template ANY A b.example; any" }),
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
  ["probes at their defaults", corefile().replace("ready", "ready :8181").replace("health", "health :8080"), {}],
  ["names of pods", corefile().replace("pods insecure", "pods verified"), { authoritativeDNS: { pods: "verified" } }],
  ["names of pods: no way", corefile().replace("pods insecure", "pods sure"), {}, ["kubernetes pods sure"]],
  [
    "secrets",
    corefile("route53 corp.example.:Z1 { aws_access_key ABC DEF }"),
    {},
    ["route53 corp.example.:Z1 { aws_access_key ... }: aws_access_key is a secret, which a"],
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
    ["reload 5s: reload is not needed", "health lameduck 9s; ours: lameduck 15s", "prometheus :9154; ours: :9153"],
  ],
])("a plugin becomes keys, text, or a difference: %s", (_, text, said, left) => expectTaken(text, said, left));

it("CoreDNS may refuse what a ConfigMap has, and run on with what it had", () => {
  expect(taken(kubeadm(corefile("nsid a\nnsid b"))).todo).toEqual([
    `ConfigMap coredns: CoreDNS v${version} refuses this Corefile (nsid twice in server block .). A CoreDNS that runs has an earlier Corefile, or is of another version: mend the Corefile, then run init again`,
  ]);
});
