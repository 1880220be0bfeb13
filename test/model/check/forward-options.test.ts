import { expect, it } from "vitest";
import type { ForwardOptions } from "../../../src/model/props/forward-options";
import { agentImage, faultyKeys, problemsOf } from "./problems";

/** As little DER as has a length. */
const ca = "-----BEGIN CERTIFICATE-----\nMAMCAQU=\n-----END CERTIFICATE-----\n";
const two = ["10.1.1.1", "10.1.1.2"];

it.each<[key: string, options: ForwardOptions, more?: { servers?: string[]; tlsServerName?: string }]>([
  ["protocol", { protocol: "udp" }, { tlsServerName: "dns.example" }],
  ["failover", { failover: ["SERVFAIL"] }, { servers: ["10.1.1.1"] }],
  ["failover", { failover: ["SERVFAIL", "SERVFAIL"] }],
  ["healthCheck", { maxFails: 0, healthCheck: {} }],
  ["failFast", { maxFails: 0, failFast: true }],
  ["timeout", { timeout: "6s" }],
  ["tlsCA", { tlsCA: ca }],
])("%s is refused where it has no effect or cannot be: %j", (key, options, { servers = two, tlsServerName } = {}) => {
  const upstreams = { upstreamNameservers: servers, upstreamOptions: options, upstreamTLSServerName: tlsServerName };
  expect(faultyKeys({ agentImage, ...upstreams })).toEqual([`upstreamOptions.${key}`]);
  const zones = { "a.example": { forward: { servers, ...options, tlsServerName } } };
  expect(faultyKeys({ agentImage, zones })).toEqual([`zones.a.example.forward.${key}`]);
});

it("is accepted where each has an effect", () => {
  const options: ForwardOptions = {
    failover: ["SERVFAIL", "REFUSED"],
    timeout: "500ms",
    maxFails: 1,
    healthCheck: { interval: "1s", domain: "corp.example", recursive: false },
    failFast: true,
    expire: "30s",
    // As bundles are concatenated.
    tlsCA: `${ca}\n${ca}`,
  };
  const upstreams = { upstreamNameservers: two, upstreamTLSServerName: "dns.example", upstreamOptions: options };
  expect(problemsOf({ agentImage, ...upstreams })).toEqual([]);
});
