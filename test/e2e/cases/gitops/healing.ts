import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { until } from "../../../../rig/until";
import type { Life } from "./life";

const label = "app.kubernetes.io/part-of";

export function heals(life: Life): void {
  it("brings back one object of each kind that somebody deleted", async () => {
    const { kubectl } = life.cluster();
    const deleted = await oneOfEach();
    for (const { kind, metadata } of deleted) await kubectl.run(["delete", kind, ...named(metadata), "--wait=false"]);
    await life.controller.compare();
    await until(`the return of ${deleted.map(identity).join(", ")}`, 120, async () => {
      const there = await life.objects();
      return deleted.every((object) =>
        there.some((each) => identity(each) === identity(object) && each.metadata.uid !== object.metadata.uid),
      );
    });
    await life.commitAll();
    expect(await life.lostOfTen()).toBe(0);
  });

  it("undoes an edit of every object", async () => {
    const { kubectl } = life.cluster();
    const edited = (await life.objects()).filter(({ metadata }) => metadata.labels?.[label] !== undefined);
    expect(edited.length).toBeGreaterThan(5);
    for (const { kind, metadata } of edited)
      await kubectl.run(["label", "--overwrite", kind, ...named(metadata), `${label}=other`]);
    await life.controller.compare();
    await until("the labels' return", 120, async () => {
      const other = (await life.objects()).filter(({ metadata }) => metadata.labels?.[label] === "other");
      if (other.length > 0) throw new Error(`still edited: ${other.map(identity).join(", ")}`);
      return true;
    });
  });

  describe("a port of Service kube-dns that is renumbered by hand", () => {
    const edit = JSON.stringify([{ op: "replace", path: "/spec/ports/2/port", value: 9154 }]);
    const renumber = ["patch", "service", "kube-dns", "-n", "kube-system", "--type=json", "-p", edit];

    it("is reported, and mended by kubectl replace", async () => {
      await life.cluster().kubectl.run(renumber);
      await life.controller.compare();
      await until("a report of the port", 120, async () => (await life.controller.said()).includes("Duplicate value"));
      const file = join(life.controller.fleet.manifests, "authoritative-dns/service-kube-dns.yaml");
      await life.cluster().kubectl.run(["replace", "-f", file]);
      await life.commitAll();
      expect(await life.lostOfTen()).toBe(0);
    });

    it("is refused by the lock, whose user the controller is", async () => {
      const { kubectl } = life.cluster();
      await kubectl.run(["create", "clusterrolebinding", "somebody", "--clusterrole=cluster-admin", "--user=somebody"]);
      const allowed = { allowedUsers: [life.controller.user], allowedGroups: ["system:masters"] };
      await life.commit({ kubernetesVersion: "1.37", admission: allowed });
      const refused = await until("the lock", 30, async () => {
        const tried = await kubectl.attempt([...renumber, "--as=somebody", "--dry-run=server"]);
        return tried.code !== 0 && tried;
      });
      expect(refused.stderr).toMatch(/UPDATE of services kube-system\/kube-dns/);
      await life.commit({ kubernetesVersion: "1.37", admission: allowed, authoritativeDNS: { ttl: 20 } });
      await life.commit({});
    });
  });

  /** Of each kind, the object that comes last. */
  const oneOfEach = async () => [...new Map((await life.objects()).map((object) => [object.kind, object])).values()];
}

function identity({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.name}`;
}

function named({ name, namespace }: KubernetesObject["metadata"]): string[] {
  return namespace === undefined ? [name] : [name, "-n", namespace];
}
