import { expect, it } from "vitest";
import { defaults } from "../../src/model/defaults";
import { sharedServers } from "../../src/output/shared-servers";

const a = { file: "a.yaml", server: "https://a" };
const b = { file: "b.yaml", server: "https://b" };

it("two Applications for one API server are refused", () => {
  expect(sharedServers([a, b, { ...a, file: "c.yaml" }])).toEqual({
    problems: [{ file: "c.yaml", message: "gitops.argocd.server: https://a is that of a.yaml, too; keep one" }],
    notes: [],
  });
});

it.each(["https://K8S.example:6443", "https://k8s.example:6443/"])("%s is https://k8s.example:6443", (server) => {
  const { problems } = sharedServers([
    { ...a, server: "https://k8s.example:6443" },
    { ...b, server },
  ]);
  expect(problems).toHaveLength(1);
});

const own = { file: "a.yaml", server: defaults.argocd.server };

it("several for Argo CD's own cluster are noted: each cluster may have an Argo CD of its own", () => {
  expect(sharedServers([own, { ...own, file: "b.yaml" }]).notes).toEqual([
    { file: "a.yaml", message: expect.stringMatching(/^the Applications of 2 clusters are .*server in each/) },
  ]);
  expect(sharedServers([own, b])).toEqual({ problems: [], notes: [] });
});
