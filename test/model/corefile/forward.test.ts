import { describe, expect, it } from "vitest";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { ForwardOptions } from "../../../src/model/props/forward-options";
import * as of from "../../../rig/coredns/corefile-of";
import { lineOf } from "../../../src/model/corefile/line";
import { cached } from "../../cached";

/** The options of every `forward` to a server, without the limit, which differs. */
function optionsTo(server: string, props: Partial<ClusterDnsProps>): string[] {
  const all = { ...cached, ...props };
  const forwards = [...of.authoritativeCorefileOf(all), ...of.nodeLocalDnsCorefileOf(all)]
    .flatMap(({ plugins }) => plugins)
    .filter(({ name, args }) => name === "forward" && args.some((each) => String(each).includes(server)));
  const options = forwards.map((each) => each.options.filter(({ name }) => name !== "max_concurrent").map(lineOf));
  return [...new Set(options.map((lines) => lines.join("; ")))];
}

describe("options of servers are the same for names outside and for a zone, in CoreDNS and in the cache", () => {
  it.each<[options: ForwardOptions, expected: string]>([
    [{}, "max_age 15s"],
    [{ protocol: "asAsked", timeout: "2s", maxFails: 2, failFast: false, expire: "10s" }, "max_age 15s"],
    [{ protocol: "tcp" }, "force_tcp; max_age 15s"],
    [{ protocol: "udp" }, "prefer_udp; max_age 15s"],
    [{ failover: ["SERVFAIL", "REFUSED"] }, "max_age 15s; failover SERVFAIL REFUSED"],
    [{ timeout: "500ms", maxFails: 0 }, "max_age 15s; read_timeout 500ms; max_fails 0"],
    [{ healthCheck: {}, failFast: true }, "max_age 15s; health_check 500ms; failfast_all_unhealthy_upstreams"],
    [
      { healthCheck: { interval: "1s", domain: "a.b", recursive: false } },
      "max_age 15s; health_check 1s no_rec domain a.b",
    ],
    [{ expire: "5s" }, "expire 5s; max_age 15s"],
    // CoreDNS refuses a `max_age` that is less.
    [{ expire: "1m" }, "expire 1m; max_age 1m"],
  ])("%j", (options, expected) => {
    const servers = ["10.1.1.1", "10.1.1.2"];
    expect(optionsTo("10.1.1.1", { upstreamNameservers: servers, upstreamOptions: options })).toEqual([expected]);
    expect(optionsTo("10.1.1.1", { zones: { "a.example": { forward: { servers, ...options } } } })).toEqual([expected]);
  });

  it("the certificate of an authority is a file that both have, for names outside and for a zone", () => {
    const upstreamOptions = { tlsCA: "a" };
    const zones = { "a.example": { forward: { servers: ["10.1.1.1"], tlsServerName: "a", tlsCA: "b" } } };
    const props = { ...cached, upstreamNameservers: ["10.1.1.2"], upstreamTLSServerName: "b", upstreamOptions, zones };
    for (const files of [of.filesOf(props), of.cacheFilesOf(props)])
      expect(files).toEqual({ "ca-ca978112ca.pem": "a", "ca-3e23e81600.pem": "b" });
    expect(optionsTo("10.1.1.2", props)[0]).toContain("tls /etc/coredns/ca-ca978112ca.pem; tls_servername b");
    expect(optionsTo("10.1.1.1", props)[0]).toContain("tls /etc/coredns/ca-3e23e81600.pem; tls_servername a");
  });

  it("none that the version does not know", () => {
    const upstreamOptions = { timeout: "500ms", maxFails: 1, failFast: true, failover: ["SERVFAIL"] } as const;
    const upstreams = { upstreamNameservers: ["10.1.1.1"], upstreamOptions };
    const has = (version: string) => {
      const image = `registry.k8s.io/coredns/coredns:v${version}`;
      const [options = ""] = optionsTo("10.1.1.1", {
        ...upstreams,
        authoritativeDNS: { image },
        nodeLocalDNS: { image },
      });
      return options.split("; ").map((option) => option.split(" ")[0]);
    };
    expect(has("1.12.0")).toEqual(["max_fails"]);
    expect(has("1.12.1")).toEqual(["max_fails", "failfast_all_unhealthy_upstreams"]);
    expect(has("1.14.2")).toEqual(["failover", "max_fails", "failfast_all_unhealthy_upstreams"]);
    expect(has("1.14.3")).toContain("max_age");
    expect(has("1.14.5")).toContain("read_timeout");
    const ofNodeCache = optionsTo("10.1.1.1", { ...upstreams, nodeLocalDNS: { engine: "node-cache" } });
    expect(ofNodeCache[1]).toBe("failover SERVFAIL; max_fails 1; failfast_all_unhealthy_upstreams");
  });
});
