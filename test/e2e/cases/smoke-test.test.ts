import { beforeAll, describe, expect, it } from "vitest";
import { clusterDns } from "../../../rig/cluster/addresses";
import { agentImage, importAgentImage } from "../../../rig/cluster/agent-image";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { until } from "../../../rig/until";
import { renderCluster } from "../../../src/charts/render-cluster";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { argoCd, sync } from "../lib/gitops";
import { ledToCache, metric } from "../lib/node-cache";
import { hangingCaches } from "../lib/node-faults";
import { smokeTestEnded } from "../lib/smoke-test";
import { useCluster } from "../lib/use-cluster";

const smokeTest = { outsideName: "www.outside.test" };

describe("with the cache at the service IP", () => {
  const cluster = useCluster({ nodes: 1 });
  const props: ClusterDnsProps = {
    clusterDNS: [clusterDns.ipv4],
    kubeProxyMode: "iptables",
    agentImage,
    stubDomains: { "corp.test": ["10.11.0.1"] },
    tenancy: { systemTenant: { name: "platform" }, tenants: [{ name: "green", namespaces: ["shop"] }] },
    federation: { name: "retail", domain: "clusters.example", region: "eu", zone: "eu-1" },
    smokeTest,
  };

  beforeAll(async () => {
    await importAgentImage(cluster());
    await sync(cluster(), argoCd, { before: [], after: objects(withoutStub(props)) });
  });

  it("passes from both networks, once everything else is healthy", async () => {
    const { pod, host } = await smokeTestEnded(cluster());
    expect(pod.report.at(-1)).toMatch(/^smoke test passed: \d+ answers are right$/);
    expect(host.report.at(-1)).toMatch(/^smoke test passed: \d+ answers are right$/);
    expect(pod.report.join("\n")).toMatch(
      /answered by the cache node-local-dns-\w+: 10\.96\.0\.10 udp, 10\.96\.0\.10 tcp/,
    );
    console.log(pod.report.join("\n"), pod.seconds, "s");
    expect([pod.ended, host.ended]).toEqual(["Complete", "Complete"]);
  });

  it("changes nothing when it is applied again", async () => {
    const versions = async () =>
      (await cluster().kubectl.list("jobs", "kube-system")).map(({ metadata }) => [metadata.uid, metadata.generation]);
    const before = await versions();
    await sync(cluster(), argoCd, { before: [], after: objects(withoutStub(props)) });
    expect(await versions()).toEqual(before);
  });

  it("fails for a stub domain whose server does not answer", async () => {
    const before = objects(withoutStub(props));
    const after = objects(props);
    await sync(cluster(), argoCd, { before, after });
    const { pod, host } = await smokeTestEnded(cluster());
    for (const each of [pod, host]) {
      expect(each).toMatchObject({ ended: "Failed" });
      expect(each.seconds).toBeLessThan(60);
      expect(each.report.join("\n")).toMatch(
        /^failed: 10\.96\.0\.10 udp A [0-9a-f]{16}\.corp\.test: got SERVFAIL, expected/m,
      );
      expect(each.report.at(-2)).toMatch(/^next: stubDomains: do the servers of corp\.test answer/);
    }
    await sync(cluster(), argoCd, { before: after, after: before });
    expect((await smokeTestEnded(cluster())).pod.ended).toBe("Complete");
  });

  // Each breaks names by hand, and mends them; the Jobs run anew meanwhile.
  it.each<[what: string, change: () => Promise<void>, next: RegExp]>([
    [
      "Service kube-dns selects no pods, and those that caches were connected to end",
      async () => {
        await patch("service", "kube-dns", { spec: { selector: { "k8s-app": "nobody" } } });
        await cluster().kubectl.run(["rollout", "restart", "deployment/coredns", "-n", "kube-system"]);
        await cluster().kubectl.rolledOut("deployment", "coredns", "kube-system");
      },
      // The cache gives up after as long as the test waits, unless it still has the name.
      /^next: (10\.96\.0\.10: nothing answers: has Service kube-dns endpoints|no answer to some questions|CoreDNS does not answer)/m,
    ],
    [
      "the Corefile has no kubernetes plugin",
      async () => {
        const Corefile = ".:53 {\n    errors\n    health\n    ready\n    forward . /etc/resolv.conf\n}\n";
        const metadata = { name: "without-kubernetes", namespace: "kube-system" };
        await cluster().kubectl.apply([{ apiVersion: "v1", kind: "ConfigMap", metadata, data: { Corefile } }]);
        const items = [{ key: "Corefile", path: "Corefile" }];
        const volumes = [{ name: await corefileVolume(), configMap: { name: metadata.name, items } }];
        await patch("deployment", "coredns", { spec: { template: { spec: { volumes } } } });
        await cluster().kubectl.rolledOut("deployment", "coredns", "kube-system");
      },
      /^failed: 10\.96\.0\.10 udp A 10-244-1-\d+\.cluster-dns-smoke-test.*: got NXDOMAIN[^]*^next: CoreDNS does not learn/m,
    ],
  ])("fails while %s", async (_, change, next) => {
    try {
      await change();
      const { pod, host } = await rerun();
      console.log(pod.report.join("\n"), pod.seconds, "s");
      expect([pod.ended, host.ended]).toEqual(["Failed", "Failed"]);
      expect(Math.max(pod.seconds, host.seconds)).toBeLessThan(60);
      expect(pod.report.join("\n")).toMatch(next);
    } finally {
      await sync(cluster(), argoCd, { before: [], after: objects(withoutStub(props)) });
    }
    // At once: the Jobs themselves wait for the pods of before, and for what caches keep of them.
    const { pod } = await rerun();
    console.log(pod.report.join("\n"), pod.seconds, "s");
    expect(pod.ended).toBe("Complete");
  });

  it("fails for pods while the cache hangs, although the cluster DNS answers", async () => {
    const node = cluster().node(1);
    await ledToCache(node);
    const mend = await hangingCaches(cluster(), node);
    try {
      const used = () => metric(node, "watchdog", /^node_local_dns_watchdog_local/);
      await until("the way past the cache", 30, async () => (await used()) === 0);
      const { pod } = await rerun();
      console.log(pod.report.join("\n"), pod.seconds, "s");
      expect(pod).toMatchObject({ ended: "Failed" });
      expect(pod.seconds).toBeLessThan(60);
      expect(pod.report.at(-2)).toMatch(/^next: 10\.96\.0\.10: another than this node's cache answers/);
      expect(pod.report.at(-1)).toMatch(
        /^smoke test failed: 2 of \d+ answers are wrong; first: 10\.96\.0\.10 udp TXT health/,
      );
    } finally {
      await mend();
    }
  });

  function patch(kind: string, name: string, change: object): Promise<void> {
    const how = ["patch", kind, name, "-n", "kube-system", "--type=strategic", "-p", JSON.stringify(change)];
    return cluster()
      .kubectl.run(how)
      .then(() => undefined);
  }

  async function corefileVolume(): Promise<string> {
    const deployment = await cluster().kubectl.get<{
      spec: { template: { spec: { volumes: { name: string; configMap?: object }[] } } };
    }>("deployment", "coredns", "kube-system");
    const volume = deployment?.spec.template.spec.volumes.find(({ configMap }) => configMap !== undefined);
    if (!volume) throw new Error("CoreDNS has no Corefile");
    return volume.name;
  }

  /** As docs/smoke-test.md says. */
  async function rerun(): ReturnType<typeof smokeTestEnded> {
    const { kubectl } = cluster();
    await kubectl.run(["delete", "job", "-n", "kube-system", "-l", "k8s-app=cluster-dns-smoke-test"]);
    await kubectl.apply(objects(withoutStub(props), "smoke-test"), { serverSide: true, fieldManager: "test" });
    return smokeTestEnded(cluster());
  }
});

describe("with both IP families and the cache at link-local addresses", () => {
  const cluster = useCluster({ nodes: 1, proxyMode: "nftables", ipFamilies: "dual" });
  const props: ClusterDnsProps = {
    clusterDNS: [clusterDns.ipv4, clusterDns.ipv6],
    kubeProxyMode: "nftables",
    agentImage,
    nodeLocalDNS: { interception: "link-local" },
    smokeTest,
  };

  it("passes at every address, from both networks", async () => {
    await importAgentImage(cluster());
    await sync(cluster(), argoCd, { before: [], after: objects(props) });
    const { pod, host } = await smokeTestEnded(cluster());
    console.log(pod.report.join("\n"), pod.seconds, "s");
    expect(pod.report.at(-1)).toMatch(/^smoke test passed/);
    expect(host.report.at(-1)).toMatch(/^smoke test passed/);
    for (const address of ["169.254.20.10", "fd00:169:254:20::10"])
      expect(pod.report.find((line) => line.includes("answered by the cache"))).toContain(`${address} udp`);
    expect([pod.ended, host.ended]).toEqual(["Complete", "Complete"]);
  });
});

function withoutStub({ stubDomains: _server, ...props }: ClusterDnsProps): ClusterDnsProps {
  return props;
}

function objects(props: ClusterDnsProps, component?: string): KubernetesObject[] {
  return renderCluster(clusterOf(props))
    .components.filter(({ name }) => component === undefined || name === component)
    .flatMap((each) => each.objects as KubernetesObject[]);
}
