import { expect, it } from "vitest";
import { problemsOf } from "./problems";

const repoURL = "https://git.example/fleet.git";

it.each<[message: string, gitops: object]>([
  ["gitops: says nothing; accepted: argocd or flux, or leave it out", {}],
  ["gitops: has both argocd and flux, which would undo each other's work; keep one", { argocd: { repoURL }, flux: {} }],
  ["gitops.argocd.repoURL: is required but missing", { argocd: {} }],
  ...["", "*", "not a url", "https://*", "https://user:token@git.example/fleet.git"].map((url): [string, object] => [
    `gitops.argocd.repoURL: ${JSON.stringify(url)} is not a repository; accepted: https://HOST/PATH or ssh://USER@HOST/PATH, without a password`,
    { argocd: { repoURL: url } },
  ]),
  ...["", "*", "foo bar", "https://*"].map((server): [string, object] => [
    `gitops.argocd.server: ${JSON.stringify(server)} is not an API server; accepted: https://HOST:PORT`,
    { argocd: { repoURL, server } },
  ]),
  ['gitops.argocd.targetRevision: "" is not a branch, tag or commit', { argocd: { repoURL, targetRevision: "" } }],
  [
    "gitops.flux.source.name: must differ from flux-system, the source of `flux bootstrap`, which url would replace",
    { flux: { source: { url: repoURL } } },
  ],
  [
    'gitops.flux.source.ref: "a b" is not a branch or a tag',
    { flux: { source: { name: "fleet", url: repoURL, ref: "a b" } } },
  ],
  [
    'gitops.argocd.folder: "/dist" is not a folder of the repository; accepted: a path relative to its root, without ..',
    { argocd: { repoURL, folder: "/dist" } },
  ],
  [
    'gitops.flux.folder: "../dist" is not a folder of the repository; accepted: a path relative to its root, without ..',
    { flux: { folder: "../dist" } },
  ],
  [
    'gitops.flux.namespace: "Flux" is not a namespace; accepted: at most 63 lower case letters, digits and -',
    { flux: { namespace: "Flux" } },
  ],
  [
    'gitops.flux.source.name: "a b" is not the name of an object; accepted: lower case letters, digits, - and .',
    { flux: { source: { name: "a b" } } },
  ],
  [
    'gitops.flux.source.url: "git@git.example:fleet.git" is not a URL of a GitRepository; accepted: https://, http://, ssh://',
    { flux: { source: { name: "fleet", url: "git@git.example:fleet.git" } } },
  ],
  [
    'gitops.flux.source.url: "https://git.example" is not a URL of an OCIRepository; accepted: oci://',
    { flux: { source: { kind: "OCIRepository", name: "fleet", url: "https://git.example" } } },
  ],
  [
    "gitops.flux.source.ref: belongs to a source that is rendered; set url too, or leave it out",
    { flux: { source: { ref: "main" } } },
  ],
])("%s", (message, gitops) => {
  expect(problemsOf({ gitops })).toEqual([message]);
});
