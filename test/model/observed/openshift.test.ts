import { describe, expect, it } from "vitest";
import type { Fields } from "../../../src/model/kubernetes/object";
import { fromService } from "../../../src/model/observed/from-object";
import { fromOpenShift } from "../../../src/model/observed/from-openshift";

/** What an operator's `DNS` becomes in a cluster file, and what is listed. */
function seen(spec: Fields, status: Fields = {}) {
  const { findings, unsaid } = fromOpenShift({
    apiVersion: "operator.openshift.io/v1",
    kind: "DNS",
    metadata: { name: "default" },
    spec,
    status,
  });
  return {
    said: findings
      .filter(({ isDefault }) => isDefault !== true)
      .map(({ path, value }) => `${path.join(".")}: ${JSON.stringify(value)}`),
    unsaid: unsaid.map((what) => what.replace(/^DNS default: /, "")),
  };
}

const network = (address: string, port?: number) => ({ type: "Network", address, port });
const tls = (options: object) => ({ transport: "TLS", tls: options });

describe("OpenShift's DNS", () => {
  it("says address, domain and servers", () => {
    const servers = [
      { name: "a", zones: ["corp.example"], forwardPlugin: { upstreams: ["10.1.2.3"], policy: "Random" } },
      { name: "b", zones: ["b.example"], forwardPlugin: { upstreams: ["10.1.2.4"], policy: "Sequential" } },
    ];
    expect(
      seen(
        { servers, logLevel: "Debug", operatorLogLevel: "Normal" },
        { clusterIP: "172.30.0.10", clusterDomain: "corp.local" },
      ),
    ).toEqual({
      said: [
        'clusterDNS: ["172.30.0.10"]',
        'clusterDomain: "corp.local"',
        'stubDomains.corp.example: ["10.1.2.3"]',
        'stubDomains.b.example: ["10.1.2.4"]',
      ],
      unsaid: ['server b: policy "Sequential"', "logLevel"],
    });
  });

  it("has nothing to list if nobody chose anything", () => {
    const cache = { negativeTTL: "0s", positiveTTL: "0s" };
    expect(seen({ cache, logLevel: "Normal", operatorLogLevel: "Normal", nodePlacement: {} }).unsaid).toEqual([]);
    const ports = [{ port: 53 }, { port: 9154 }];
    const metadata = { name: "dns-default" };
    expect(fromService({ apiVersion: "v1", kind: "Service", metadata, spec: { ports } }).unsaid).toEqual([]);
  });

  it.each<[what: string, upstreamResolvers: object, said: string[], unsaid: string[]]>([
    [
      "the nodes'",
      { policy: "Sequential", protocolStrategy: "", transportConfig: {}, upstreams: [{ type: "SystemResolvConf" }] },
      ['upstreamPolicy: "sequential"'],
      [],
    ],
    [
      "the nodes' and others, over TCP",
      {
        policy: "RoundRobin",
        protocolStrategy: "TCP",
        upstreams: [
          { type: "SystemResolvConf" },
          network("10.1.1.1", 5353),
          network("fd00::1", 54),
          network("10.1.1.2", 53),
        ],
      },
      ['upstreamNameservers: ["10.1.1.1:5353","[fd00::1]:54","10.1.1.2"]', 'upstreamPolicy: "round_robin"'],
      [
        "upstreamResolvers: also the nodes' servers (SystemResolvConf); ours: either these or others",
        'upstreamResolvers: protocolStrategy "TCP"',
      ],
    ],
    [
      "over TLS",
      {
        transportConfig: tls({ serverName: "dns.corp.example", caBundle: { name: "ca" } }),
        upstreams: [network("10.1.1.1", 853), network("10.1.1.2", 53)],
      },
      ['upstreamNameservers: ["10.1.1.1","10.1.1.2:53"]', 'upstreamTLSServerName: "dns.corp.example"'],
      ['upstreamResolvers: tls: caBundle {"name":"ca"}'],
    ],
    [
      "over TLS without a name",
      { transportConfig: tls({}), upstreams: [network("10.1.1.1")] },
      [],
      ["upstreamResolvers: 10.1.1.1 over TLS without a serverName"],
    ],
  ])("says upstreams: %s", (_, upstreamResolvers, said, unsaid) => {
    expect(seen({ upstreamResolvers })).toEqual({ said, unsaid });
  });

  it("over TLS never becomes a stub domain, which is plain DNS", () => {
    const forwardPlugin = { upstreams: ["10.1.2.3:853"], policy: "Random", transportConfig: tls({ serverName: "x" }) };
    expect(seen({ servers: [{ name: "a", zones: ["corp.example"], forwardPlugin }] })).toEqual({
      said: [],
      unsaid: ["server a: corp.example over TLS, which a stub domain does not have"],
    });
  });
});
