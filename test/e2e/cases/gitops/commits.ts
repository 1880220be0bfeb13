import { expect, it } from "vitest";
import { until } from "../../../../rig/until";
import type { ConfigMap, Workload } from "../../../../src/model/kubernetes/kinds";
import type { Life } from "./life";

export function takesCommits(life: Life): void {
  it("ends at the second of two commits that come at once", async () => {
    life.synth({ authoritativeDNS: { ttl: 11 } });
    await life.controller.commit();
    await life.commit({ authoritativeDNS: { ttl: 12 } });
    expect(await corefile()).toMatch(/ttl 12$/m);
  });

  it("finishes a commit although it is killed in the middle of it", async () => {
    life.synth({ authoritativeDNS: { ttl: 13 } });
    const before = await life.get("deployment", "coredns");
    const revision = await life.controller.commit();
    await until("the middle of the commit", 60, async () => {
      const { metadata } = (await life.get("deployment", "coredns")) ?? {};
      return metadata?.generation !== before?.metadata.generation;
    });
    await life.controller.interrupt();
    await life.controller.applied(revision);
    expect(await corefile()).toMatch(/ttl 13$/m);
    expect(await life.lostOfTen()).toBe(0);
  });

  it("goes back with a revert", async () => {
    await life.commit({ authoritativeDNS: { ttl: 14 } });
    await life.controller.fleet.git("revert", "--no-edit", "HEAD");
    await life.commitAll();
    expect(await corefile()).toMatch(/ttl 13$/m);
    expect(await life.lostOfTen()).toBe(0);
  });

  /** The one that CoreDNS's pods have. */
  async function corefile(): Promise<unknown> {
    const workload = await life.get<Workload>("deployment", "coredns");
    const name = workload?.spec.template.spec.volumes?.[0]?.configMap?.name ?? "";
    return (await life.get<ConfigMap>("configmap", name))?.data?.["Corefile"];
  }
}

export function installs(life: Life): void {
  it("installs DNS on an empty cluster, and finds nothing to change afterwards", async () => {
    life.tell("first install", `${await life.commit({})} s`);
    expect(await life.lostOfTen()).toBe(0);
    const before = await versions();
    await life.commitAll(); // an empty one
    await life.controller.compare();
    expect(await versions()).toEqual(before);
  });

  /** Without what the cluster itself writes: the status of workloads. */
  async function versions(): Promise<string[]> {
    return (await life.objects()).map(
      ({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.generation ?? metadata.resourceVersion}`,
    );
  }
}

export function prunes(life: Life): void {
  it("prunes a component that left, and nothing else", async () => {
    await life.commit({ nodeLocalDNS: {} });
    const before = await life.get("daemonset", "node-local-dns");
    await life.commit({ nodeLocalDNS: { watchdog: false } });
    await until("the watchdog's end", 60, async () => {
      const kinds = "all,serviceaccounts,roles,rolebindings";
      const left = await life.cluster().kubectl.list(kinds, "kube-system");
      return !left.some(({ metadata }) => metadata.name.startsWith("node-local-dns-watchdog"));
    });
    const after = await life.get("daemonset", "node-local-dns");
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(await life.lostOfTen()).toBe(0);
  });
}

export function handsOverReplicas(life: Life): void {
  // The autoscaler here changes nothing: a number that falls would stay down.
  it("hands CoreDNS's replicas to the autoscaler and back without ever having fewer, and keeps what that sets", async () => {
    const { controller } = life;
    await life.commit({ authoritativeDNS: { replicas: 3 } });
    const edit = { autoscaler: { min: 2 }, ttl: 20 };
    life.synth({ authoritativeDNS: edit });
    await controller.applied(await controller.announce());
    expect(await replicas()).toBe(3);
    await life.commitAll();
    expect(await replicas()).toBe(3);

    await life.cluster().kubectl.run(["scale", "deployment", "coredns", "-n", "kube-system", "--replicas=4"]);
    await controller.compare();
    await life.commit({ authoritativeDNS: { ...edit, ttl: 30 } });
    expect(await replicas()).toBe(4);

    await life.commit({ authoritativeDNS: { replicas: 4, ttl: 30 } });
    expect(await replicas()).toBe(4);
  });

  const replicas = async () => (await life.get<Workload>("deployment", "coredns"))?.spec.replicas;
}
