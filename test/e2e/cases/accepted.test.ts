import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { namespaceObject } from "../../../rig/cluster/objects";
import { repositoryRoot } from "../../../rig/repository";
import { isCompared } from "../../../src/model/doctor/described";
import { drift } from "../../../src/model/doctor/drift";
import { useCluster } from "../lib/use-cluster";
import { createPublishedCrds, useServiceRanges } from "../lib/api-of-dist";

const dist = join(repositoryRoot, "dist");
const clusters = readdirSync(dist).sort();

/** Folders of a cluster that are no components: kubelets' settings, and objects for the controller that applies the rest. */
const notApplied = ["kubelet", "gitops"];

const newest = "1.37";

/**
 * The fewest clusters that together have every component: enough for what depends on objects, not on their combination.
 */
const withAllComponents = covering(new Map(clusters.map((name) => [name, componentsOf(name)])));

describe.each([newest, "1.35"] as const)("the API server of Kubernetes %s", (apiServerOnly) => {
  const cluster = useCluster({ apiServerOnly, nodes: 0, ipFamilies: "dual" });

  beforeAll(async () => {
    await createPublishedCrds(cluster().kubectl);
    await cluster().kubectl.apply(["argocd", "flux-system"].map(namespaceObject));
    await useServiceRanges(cluster().kubectl); // each cluster file has its own
  });

  describe.each(clusters)("accepts dist/%s", (name) => {
    const folder = join(dist, name);
    const kubectl = () => cluster().kubectl;
    /** Applies a folder; returns its objects as they are then. */
    const apply = async (what: string, serverSide = true) => {
      const how = ["--validate=strict", ...(serverSide ? ["--server-side"] : []), "-o", "json"];
      return read(await kubectl().run(["apply", "-k", what, ...how]));
    };

    it.each(ways(apiServerOnly, name))("$how, and a second time without a change", async ({ serverSide, diff }) => {
      const first = await apply(folder, serverSide);
      expect(versions(await apply(folder, serverSide))).toEqual(versions(first));
      // What the API server fills in is nobody's change.
      const found = (kind: string) => first.filter((object) => object.kind === kind);
      expect(drift(written(name).filter(isCompared), found)).toEqual([]);
      if (diff !== undefined)
        expect(await kubectl().attempt(["diff", "-k", folder, ...diff])).toMatchObject({ code: 0, stdout: "" });
      await kubectl().run(["delete", "-k", folder]);
    });

    it.each(gitOpsFolders(name))("and what %s needs to apply it", async (controller) => {
      const applied = await kubectl().attempt(["apply", "--server-side", "-k", join(folder, "gitops", controller)]);
      // kubectl itself passes the flag.
      const stderr = applied.stderr.replace(/^.*Sorting order is set both in 'kustomization.yaml'.*\n/m, "");
      expect({ ...applied, stderr }).toMatchObject({ code: 0, stderr: "" });
    });

    if (apiServerOnly !== newest || !withAllComponents.has(name)) return;

    it("and pruning one component keeps the others", async () => {
      let all = identities(await apply(folder));
      for (const component of componentsOf(name)) {
        await kubectl().run(["delete", "-k", join(folder, component)]);
        const left = identities(read(await kubectl().run(["get", "-k", folder, "-o", "json", "--ignore-not-found"])));
        const own = identities(await apply(join(folder, component)));
        const others = Object.fromEntries(Object.entries(all).filter(([id]) => !(id in own)));
        expect(left).toEqual(others);
        all = { ...others, ...own };
      }
      await kubectl().run(["delete", "-k", folder]);
    });
  });
});

/** API servers differ only in schema, for which one way is enough; the other, and its differences, depend on kubectl. */
function ways(version: string, name: string): { how: string; serverSide: boolean; diff?: string[] }[] {
  const serverSide = { how: "server-side", serverSide: true };
  if (version !== newest || !withAllComponents.has(name)) return [serverSide];
  return [
    { ...serverSide, diff: ["--server-side"] },
    { how: "client-side", serverSide: false, diff: [] },
  ];
}

function componentsOf(name: string): string[] {
  const entries = readdirSync(join(dist, name), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && !notApplied.includes(entry.name)).map((entry) => entry.name);
}

function gitOpsFolders(name: string): string[] {
  const folder = join(dist, name, "gitops");
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Picks the cluster with the most uncovered components until all are covered. */
function covering(sets: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const open = new Set([...sets.values()].flat());
  const chosen = new Set<string>();
  while (open.size > 0) {
    const news = (name: string) => (sets.get(name) ?? []).filter((each) => open.has(each)).length;
    const [best = ""] = [...sets.keys()].sort((a, b) => news(b) - news(a));
    chosen.add(best);
    for (const each of sets.get(best) ?? []) open.delete(each);
  }
  return chosen;
}

/** The objects of all components. */
function written(name: string): KubernetesObject[] {
  return componentsOf(name).flatMap((component) => {
    const files = readdirSync(join(dist, name, component)).filter((file) => file !== "kustomization.yaml");
    return files.map((file) => parse(readFileSync(join(dist, name, component, file), "utf8")) as KubernetesObject);
  });
}

/** kubectl prints a list, or nothing at all if nothing is left. */
function read(printed: string): KubernetesObject[] {
  if (printed.trim() === "") return [];
  const got = JSON.parse(printed) as KubernetesObject | { readonly items: KubernetesObject[] };
  return "items" in got ? (got.items as KubernetesObject[]) : [got as KubernetesObject];
}

function versions(objects: readonly KubernetesObject[]): unknown[] {
  return objects.map(({ kind, metadata: { name, resourceVersion, generation } }) => ({
    kind,
    name,
    // The API server itself writes a FlowSchema's status, soon after the first apply.
    resourceVersion: kind === "FlowSchema" ? undefined : resourceVersion,
    generation,
  }));
}

/** By what identifies them, their uids. */
function identities(objects: readonly KubernetesObject[]): Record<string, string | undefined> {
  const named = objects.map(({ kind, metadata: { namespace, name, uid } }) => [`${kind} ${namespace}/${name}`, uid]);
  return Object.fromEntries(named) as Record<string, string | undefined>;
}
