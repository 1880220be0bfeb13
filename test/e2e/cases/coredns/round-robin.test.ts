import { beforeAll, describe, expect, it } from "vitest";
import { addresses } from "../../../../rig/coredns/ask";
import { whyNoCoreDNS } from "../../../../rig/coredns/coredns";
import { putService } from "../../../../rig/coredns/objects";
import { cached, type CoreDnsAndCache, SmallDns } from "../../lib/small-dns";

const pods = ["10.244.0.1", "10.244.0.2", "10.244.0.3"];

describe.skipIf(whyNoCoreDNS)(`a headless Service in CoreDNS${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  const dns = new SmallDns();
  let servers: CoreDnsAndCache;
  beforeAll(async () => {
    const { api, url } = await dns.api({ default: {} });
    putService(api, "default", "peers", "None", pods);
    servers = await dns.both(cached, { api: url });
  });

  it.each(["cluster", "cache"] as const)("%s: answers with all pods, each of them first at times", async (who) => {
    const firsts = new Set<string | undefined>();
    // By chance, a pod is never first in one of 10^17 runs.
    for (let i = 0; i < 100; i++) {
      const answer = await addresses({ name: "peers.default.svc.cluster.local", port: servers[who].port });
      expect([...answer].sort()).toEqual(pods);
      firsts.add(answer[0]);
    }
    expect([...firsts].sort()).toEqual(pods);
  });
});
