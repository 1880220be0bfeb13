import { expect, it } from "vitest";
import { defaults } from "../../src/model/defaults";
import { sharedServers } from "../../src/output/shared-servers";

const [a, b] = ["https://a", "https://b"];

it("two Applications for one API server are refused", () => {
  const found = sharedServers([
    { file: "a.yaml", server: a },
    { file: "b.yaml", server: b },
    { file: "c.yaml", server: a },
  ]);
  expect(found).toEqual({
    problems: [{ file: "c.yaml", message: "gitops.argocd.server: https://a is that of a.yaml, too; keep one" }],
    notes: [],
  });
});

it.each(["https://K8S.example:6443", "https://k8s.example:6443/"])("%s is https://k8s.example:6443", (server) => {
  const { problems } = sharedServers([
    { file: "a.yaml", server: "https://k8s.example:6443" },
    { file: "b.yaml", server },
  ]);
  expect(problems).toHaveLength(1);
});

const own = { file: "a.yaml", server: defaults.argocd.server };

it("several for Argo CD's own cluster are noted: each cluster may have an Argo CD of its own", () => {
  expect(sharedServers([own, { ...own, file: "b.yaml" }]).notes).toEqual([
    {
      file: "a.yaml",
      message: expect.stringMatching(/^the Applications of 2 clusters are for https:.*server in each/),
    },
  ]);
  expect(sharedServers([own, { file: "b.yaml", server: b }])).toEqual({ problems: [], notes: [] });
});
