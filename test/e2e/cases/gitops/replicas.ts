import { expect, it } from "vitest";
import type { Workload } from "../../../../src/model/kubernetes/kinds";
import type { Life } from "./life";

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

  async function replicas(): Promise<number | undefined> {
    return (await life.get<Workload>("deployment", "coredns"))?.spec.replicas;
  }
}
