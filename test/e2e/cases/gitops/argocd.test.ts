import { expect, it } from "vitest";
import { ArgoCd } from "../../../../rig/gitops/argocd";
import { mendsCorefile } from "./broken-corefile";
import { takesCommits, handsOverReplicas, installs, prunes } from "./commits";
import { heals } from "./healing";
import { keepsCoreDns } from "./leaving";
import { Life } from "./life";

const life = Life.use("Argo CD", ArgoCd.start);

installs(life);
heals(life);
takesCommits(life);

it("shows old Corefiles as what it would prune, in an application that is synced", async () => {
  await life.commitAll();
  const { status } = (await (life.controller as ArgoCd).application()) ?? {};
  const out = (status?.resources ?? []).filter((resource) => resource.status !== "Synced");
  expect(out.length).toBeGreaterThan(0);
  for (const resource of out) expect(resource).toMatchObject({ kind: "ConfigMap", requiresPruning: true });
  expect(status?.sync?.status).toBe("Synced");
});

handsOverReplicas(life);
prunes(life);
mendsCorefile(life);
keepsCoreDns(life);
