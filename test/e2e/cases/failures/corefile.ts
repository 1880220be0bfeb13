import { expect, it } from "vitest";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { until } from "../../../../rig/until";
import { cacheApp, expectNothingLostDuring, expectSame, type UnderLoad } from "./under-load";
import type { PodObject } from "../../lib/programs";

export const failing = [
  {
    what: "does not parse",
    ttl: 21,
    corefile: ".:53 {\n    no-such-plugin\n}\n",
    hasFailed: ({ status }: PodObject) => (status?.containerStatuses?.[0]?.restartCount ?? 0) > 0,
  },
  {
    what: "serves nothing",
    ttl: 22,
    corefile: "example:5353 {\n    bind 127.0.0.1\n}\n",
    // a healthy one is ready within two seconds
    hasFailed: ({ status }: PodObject) =>
      Date.now() - Date.parse(status?.containerStatuses?.[0]?.state?.running?.startedAt ?? "") > 10_000,
  },
];

/** A version of the cluster file whose Corefile is wrong, as none that this project renders is. */
export function brokenCommits(r: UnderLoad): void {
  it.each(failing)("a Corefile that $what leaves every node its cache", async ({ what, ttl, corefile, hasFailed }) => {
    await r.begin();
    const old = await r.pods(cacheApp);
    expect(old).toHaveLength(2);
    const isOld = ({ metadata }: PodObject) => old.some((each) => each.metadata.uid === metadata.uid);
    await expectNothingLostDuring(r, `a Corefile that ${what}`, async () => {
      // Another Corefile than before: so the new cache has a health port of its own.
      const other = r.objects({ cache: { success: { ttl } } });
      await r.commit(withCorefile(other, corefile), false);
      await until("the failure of a new cache", 90, async () =>
        (await r.pods(cacheApp)).some((each) => !isOld(each) && hasFailed(each)),
      );
      const ready = (await r.pods(cacheApp)).filter(({ status }) => status?.containerStatuses?.[0]?.ready === true);
      expect(ready.every(isOld)).toBe(true);
      await r.commit(r.objects());
    });
    await expectSame(r, cacheApp, old);
  });
}

function withCorefile(objects: readonly KubernetesObject[], corefile: string): KubernetesObject[] {
  const broken = corefileOf(objects);
  return objects.map((object) => (object === broken ? { ...object, data: { Corefile: corefile } } : object));
}

/** The cache's. */
export function corefileOf(objects: readonly KubernetesObject[]): KubernetesObject {
  const found = objects.find(
    ({ kind, metadata, data }) =>
      kind === "ConfigMap" && metadata.name.startsWith(cacheApp) && "Corefile" in (data as object),
  );
  if (found === undefined) throw new Error("no Corefile of the cache among the objects");
  return found;
}
