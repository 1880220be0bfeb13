import { expect, it } from "vitest";
import type { Life } from "./life";

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
