import { expect, it } from "vitest";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { pauseImage } from "../../../../rig/cluster/node-files";
import { sleep } from "../../../../rig/until";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import type { Life } from "../gitops/life";
import { expectNothingOfOurs, walk } from "./walk";
import { facts } from "../../lib/usual";
import { ledToCache } from "../../lib/programs";
import { installByKubeadm } from "../../lib/other-dns";

/** Objects of the controller, of any name: with none, it applies nothing. */
const applying = {
  argocd: ["applications.argoproj.io", "applicationsets.argoproj.io", "appprojects.argoproj.io"],
  flux: ["kustomizations.kustomize.toolkit.fluxcd.io"],
} as const;

export function leavesController(life: Life, edit: Partial<ClusterDnsProps>): void {
  it("goes back to kubeadm's CoreDNS by the commands of `leave`, and nothing brings ours back", async () => {
    const { controller } = life;
    const { fleet, key } = controller;
    await installByKubeadm(life.cluster());
    await life.cluster().kubectl.apply([app]);
    const described: ClusterDnsProps = {
      ...facts,
      smokeTest: true,
      networkPolicies: true,
      nodeResolver: { services: ["kubernetes.default.svc"] },
      gitops: key === "flux" ? { flux: {} } : { argocd: { repoURL: fleet.url } },
      ...edit,
    };
    fleet.synth(described);
    await controller.applied(await controller.commit());
    for (const node of life.cluster().nodes) await ledToCache(node);

    const push = async () => controller.applied(await controller.announce());
    await walk({ cluster: life.cluster(), fleet, described, to: "kubeadm", push });
    await sleep(40_000); // longer than either takes to look again
    expect(await life.cluster().kubectl.run(["get", applying[key].join(","), "-A", "-o", "name"])).toBe("");
    await expectNothingOfOurs(life.cluster());
    expect(await life.lostOfTen()).toBe(0);
  });
}

/** Something to restart. */
const app: KubernetesObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "app", namespace: "default" },
  spec: {
    selector: { matchLabels: { app: "app" } },
    template: { metadata: { labels: { app: "app" } }, spec: { containers: [{ name: "pause", image: pauseImage }] } },
  },
};
