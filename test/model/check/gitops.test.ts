import { expect, it } from "vitest";
import { problemsOf } from "./problems";

const repoURL = "https://git.example/fleet.git";

const withUsers = ["https://user:pw", "https://token", "HTTP://token", "ssh://user:pw", "oci://token"].map(
  (url) => `${url}@h/x`,
);
const secret = "holds a user or a password, which would be written to a file; leave it out, and ";
const ofArgo =
  (message: (url: string) => string) =>
  (url: string): [message: string, gitops: object] => [
    `gitops.argocd.repoURL: ${message(url)}`,
    { argocd: { repoURL: url } },
  ];

it.each<[message: string, gitops: object]>([
  ["gitops: is empty", {}],
  ...["", "*", "not a url", "https://*"].map(ofArgo((url) => `${JSON.stringify(url)} is not a repository; accepted: `)),
  ...withUsers.map(ofArgo(() => `${secret}give it to Argo CD in the repository's Secret`)),
  ...[{ url: "https://user:pw@h/x" }, { url: "https://token@h/x" }, { kind: "OCIRepository", url: "oci://t@h/x" }].map(
    (source): [string, object] => [
      `gitops.flux.source.url: ${secret}name a Secret that holds it in secretRef`,
      { flux: { source: { name: "fleet", ...source } } },
    ],
  ),
  ["gitops.flux.source.name: must differ from flux-system, the source of", { flux: { source: { url: repoURL } } }],
  ['gitops.flux.source.url: "git@', { flux: { source: { name: "fleet", url: "git@git.example:fleet.git" } } }],
  ['gitops.flux.source.url: "https://g"', { flux: { source: { kind: "OCIRepository", name: "f", url: "https://g" } } }],
  ["gitops.flux.source.ref: belongs to a source that is rendered", { flux: { source: { ref: "main" } } }],
])("%s", (message, gitops) => expect(problemsOf({ gitops })).toEqual([expect.stringContaining(message)]));

it("says of both controllers that one is too many: a fleet may have the other", () => {
  const why = (key: string) => expect.stringContaining(`gitops.${key}: is set, as is the other controller`) as unknown;
  expect(problemsOf({ gitops: { argocd: { repoURL }, flux: {} } })).toEqual([why("argocd"), why("flux")]);
});

it.each(["https://h/x@v1", "ssh://git@h:22/x", "git@h:x", "file:///x"])("accepts the repository %s", (url) => {
  expect(problemsOf({ gitops: { argocd: { repoURL: url } } })).toEqual([]);
});
