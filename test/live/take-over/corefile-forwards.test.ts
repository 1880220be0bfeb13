import { it } from "vitest";
import { beside, expectTaken, nothingAsked, type Row, stub, stubbed } from "./from-corefile";
import { corefile, kubernetes } from "./objects";

/** Names outside are asked of these servers, with these options. */
const forwarding = (to: string, options: string) =>
  corefile("", to).replace("max_concurrent", `${options}; max_concurrent`);
const setUpstreams = "set upstreamNameservers and upstreamTLSServerName";

it.each<Row>([
  ["servers", corefile("", "dns://8.8.8.8:53 [fd00::1]:5353"), { upstreamNameservers: ["8.8.8.8", "[fd00::1]:5353"] }],
  [
    "TLS with one name",
    forwarding("tls://9.9.9.9 tls://9.9.9.8:853", "policy sequential; tls_servername quad9.net"),
    { upstreamNameservers: ["9.9.9.9", "9.9.9.8"], upstreamTLSServerName: "quad9.net", upstreamPolicy: "sequential" },
  ],
  [
    "TLS with one name behind each server",
    forwarding("tls://9.9.9.9%quad9.net tls://[2620:fe::fe%quad9.net]:853", "policy sequential"),
    {
      upstreamNameservers: ["9.9.9.9", "2620:fe::fe"],
      upstreamTLSServerName: "quad9.net",
      upstreamPolicy: "sequential",
    },
  ],
  ["one server in two spellings", corefile("", "8.8.8.8 dns://8.8.8.8:53"), { upstreamNameservers: ["8.8.8.8"] }],
  [
    "a policy that only the old proxy had",
    corefile("", "8.8.8.8 8.8.4.4")
      .replace("forward", "proxy")
      .replace("max_concurrent", "policy least_conn; max_concurrent"),
    { upstreamNameservers: ["8.8.8.8", "8.8.4.4"] },
    ["forward policy least_conn; ours: policy random"],
  ],
  [
    "TLS at the port of plain DNS, which ours refuses",
    forwarding("tls://9.9.9.9:53", "tls_servername quad9.net"),
    {},
    [`forward to tls://9.9.9.9:53; ours: to /etc/resolv.conf: 53 is plain DNS's port`, "forward tls_servername"],
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
  ["the node's over TCP", forwarding("/etc/resolv.conf", "force_tcp"), { upstreamOptions: { protocol: "tcp" } }],
  [
    "servers of a reverse zone that has names of Services",
    corefile("forward 10.in-addr.arpa 10.1.2.3"),
    {},
    ["forward to 10.1.2.3; ours: to /etc/resolv.conf: CoreDNS answers names of Services in this"],
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
  ["the longest zone first", corefile("forward corp.example 10.9.9.9", undefined, stub("corp.example")), stubbed],
  [
    "a forward behind another one for its names",
    corefile("", "8.8.8.8").replace(
      "cache 30",
      "forward a.corp.example 10.1.1.1; forward corp.example 10.1.1.2; forward . 10.1.1.3 { expire 5s }; cache 30",
    ),
    { upstreamNameservers: ["8.8.8.8"], stubDomains: { "corp.example": ["8.8.8.8"], "a.corp.example": ["8.8.8.8"] } },
    ["a.corp.example 10.1.1.1", "corp.example 10.1.1.2", ". 10.1.1.3 { expire 5s }"].map(
      (each) => `forward ${each}: it is behind forward . 8.8.8.8 { max_concurrent 1000 }, which leaves it no name`,
    ),
  ],
  [
    "one that is asked for what another one excepts",
    corefile("", "8.8.8.8")
      .replace("max_concurrent 1000", "except corp.example lan.example")
      .replace("cache 30", "forward corp.example 10.1.2.3; forward . 10.1.1.4; forward . 10.1.1.5; cache 30"),
    { upstreamNameservers: ["8.8.8.8"], stubDomains: { "corp.example": ["10.1.2.3"], "lan.example": ["10.1.1.4"] } },
    ["forward . 10.1.1.5: it is behind forward . 10.1.1.4, which leaves it no name"],
  ],
  [
    "names that a forward excepts, and nothing answers",
    corefile("", "8.8.8.8", stub("corp.example")).replace("max_concurrent 1000", "except corp.example lan.example"),
    { upstreamNameservers: ["8.8.8.8"], ...stubbed },
    ["forward except lan.example"],
  ],
])("who is asked: %s", (_, text, said, left) => expectTaken(text, said, left));

it.each([
  ["tls://1.1.1.1%a.example tls://9.9.9.9%b.example", "there is one TLS name for all; to ask those of one provider"],
  ["tls://1.1.1.1 tls://9.9.9.9", "TLS needs the name in the servers' certificate; to ask them over TLS"],
  ["tls://1.1.1.1 9.9.9.9", "all servers are asked over TLS, or none; to ask those of one kind"],
  ["https://9.9.9.9", "DNS over HTTPS has no key; to ask the same servers over TLS"],
  ["dns.corp.example", "a cluster file has addresses of servers; to ask them"],
])("%s never becomes plain DNS in silence", (servers, why) =>
  expectTaken(corefile("", servers), {}, [`forward to ${servers}; ours: to /etc/resolv.conf: ${why}, ${setUpstreams}`]),
);
