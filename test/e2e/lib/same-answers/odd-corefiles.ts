import { corefile, kubernetes } from "../../../live/take-over/objects";

const zoneFile = "@ 60 IN SOA ns h 1 2 3 4 5\nwww 60 IN A 192.0.2.9\nalias 60 IN CNAME www\n";
const server = "forward . 10.1.1.1; cache 30";

/** Corefiles that say more than keys do, and other files of ConfigMap `coredns`: taken over with every answer. */
export const oddCorefiles: readonly (readonly [what: string, text: string, files?: { [name: string]: string }])[] = [
  [
    "rewrites with rules for answers, also into the cluster",
    corefile(
      `rewrite stop { name regex (.*)\\.alias\\.example {1}.real.example
        answer name (.*)\\.real\\.example {1}.alias.example; answer value (.*)\\.real\\.example {1}.alias.example }
      rewrite name suffix .svc.corp.example .svc.cluster.local`,
    ),
  ],
  [
    "rewrites of the first labels, and of some between",
    corefile("rewrite name prefix old new; rewrite name substring my.example default.svc"),
  ],
  [
    "templates of a block",
    corefile(
      "",
      undefined,
      `t.example { template IN A { match ^ip-(?P<a>[0-9]+)\\.t\\.example\\.$
        answer "{{ .Name }} 60 IN A 10.0.0.{{ .Group.a }}"; fallthrough }
        template ANY ANY { rcode NXDOMAIN } }`,
    ),
  ],
  [
    "files of zones",
    corefile("file db.x x.example { fallthrough }", undefined, "y.example { file db.x }"),
    { "db.x": zoneFile },
  ],
  ["servers of zones in one block", corefile("forward a.example 10.1.1.1 { force_tcp }; forward b.a.example 10.1.1.3")],
  [
    "zones below the cluster domain",
    corefile(
      "",
      undefined,
      `db.svc.cluster.local { ${server} }
      abc.default.svc.cluster.local { hosts { 10.9.9.9 abc.default.svc.cluster.local; fallthrough }\n${server} }`,
    ),
  ],
  ["a second domain", corefile("any").replace("kubernetes cluster.local", "kubernetes cluster.local old.example")],
  [
    "hosts for some zones",
    corefile("hosts absent.hosts corp.example 192.in-addr.arpa { 192.0.2.5 a.corp.example; fallthrough }"),
  ],
  ["another domain", corefile("minimal").replaceAll("cluster.local", "k8s.corp.example")],
  ["reverse zones of networks", corefile("", undefined, `10.0.0.0/12 { ${server}; log }`)],
  [
    "a view of names, and a zone in capitals",
    corefile("", undefined, `CORP.Example. { view a { expr "name() matches '^a\\\\.'" };  ${server} }`),
  ],
  [
    "the cluster's names apart, and a snippet",
    `(common) { log; cache 30 }; cluster.local:53 { ${kubernetes}; import common }
      ${corefile()}corp.example { import common; forward . 10.1.1.1 }\n`,
  ],
  [
    "a view beside the zone's own block, and k8s_external",
    corefile(
      "k8s_external ext.example",
      undefined,
      `corp.example { view a { expr type() == 'TXT' }; any;  ${server} }; corp.example { ${server} }`,
    ),
  ],
  [
    "rules whose answers are entries of hosts, or have names in them",
    corefile(
      `hosts { 172.18.0.5 127-0-0-1.nip.io; fallthrough }
      rewrite stop { name regex (.+)-127-0-0-1\\.nip\\.io 127-0-0-1.nip.io; answer auto }
      rewrite stop { name regex (.*)\\.corp\\.example\\.svc\\.cluster\\.local {1}.corp.example
        answer name (.*)\\.corp\\.example {1}.corp.example.svc.cluster.local
        answer value (.*)\\.corp\\.example {1}.corp.example.svc.cluster.local }`,
    ),
  ],
];
