import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addresses } from "../../../../rig/coredns/ask";
import { authoritativeCorefileOf, nodeLocalDnsCorefileBeside } from "../../../../rig/coredns/corefile-of";
import { runCoreDNS, whyNoCoreDNS, type Running } from "../../../../rig/coredns/coredns";
import { FakeApi } from "../../../../rig/coredns/fake-api";
import { namespace, putService } from "../../../../rig/coredns/objects";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";

const pods = ["10.244.0.1", "10.244.0.2", "10.244.0.3"];
const props: ClusterDnsProps = {
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "iptables",
  agentImage: "agent:1",
  upstreamNameservers: ["127.0.0.254:9"],
};

describe.skipIf(whyNoCoreDNS)(`a headless Service in CoreDNS${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  const api = new FakeApi();
  const servers: { [name: string]: Running } = {};
  beforeAll(async () => {
    const url = await api.start();
    api.put("namespaces", namespace("default"));
    putService(api, "default", "peers", "None", pods);
    const cluster = await runCoreDNS(authoritativeCorefileOf(props), { api: url });
    servers["the cluster DNS"] = cluster;
    servers["the node cache"] = await runCoreDNS(nodeLocalDnsCorefileBeside(cluster.port, props), { api: url });
  });
  afterAll(async () => {
    for (const server of Object.values(servers)) await server.stop();
    await api.stop();
  });

  it.each(["the cluster DNS", "the node cache"])(
    "%s answers with all pods, each of them first at times",
    async (who) => {
      const port = servers[who]?.port ?? 0;
      const firsts = new Set<string | undefined>();
      // By chance, a pod is never first in one of 10^17 runs.
      for (let i = 0; i < 100; i++) {
        const answer = await addresses({ name: "peers.default.svc.cluster.local", port });
        expect([...answer].sort()).toEqual(pods);
        firsts.add(answer[0]);
      }
      expect([...firsts].sort()).toEqual(pods);
    },
  );
});
