import { expect, it } from "vitest";
import { agentImage, problemsOf } from "./problems";

const admission = { allowedUsers: ["system:serviceaccount:argocd:argocd-application-controller"] };
const podDNSConfig = { options: { ndots: 2, timeout: 1, "use-vc": true }, excludedNamespaces: ["legacy"] };
const tenancy = { tenants: [{ name: "baz", namespaces: ["bar"] }] };

it.each<[what: string, props: object]>([
  ["policies without the agent's image", { admission, kubernetesVersion: "1.30" }],
  ["pods' DNS by policy without it", { admission, tenancy, kubernetesVersion: "1.36" }],
  ["pods' options by policy without it", { admission: { ...admission, podDNSConfig }, kubernetesVersion: "1.36" }],
  [
    "names with spaces, as identity providers have them",
    { admission: { allowedUsers: ["Jane Doe"], allowedGroups: ["oidc:Platform Team"] }, kubernetesVersion: "1.36" },
  ],
  ["the webhook with it", { admission: { ...admission, placementGuard: true }, agentImage }],
  [
    "an issuer of cert-manager",
    {
      admission: {
        ...admission,
        webhook: { certificates: "cert-manager", issuerRef: { name: "pki", kind: "ClusterIssuer" } },
      },
      agentImage,
    },
  ],
])("accepts %s", (_what, props) => expect(problemsOf(props)).toEqual([]));

it.each<[message: string, props: object]>([
  [
    'agentImage: is missing: admission needs the webhook here; if the cluster has Kubernetes 1.30 or newer, set kubernetesVersion: "1.30" (none is set), and policies do all of it; if not, build the image in a clone of cdk8s-cluster-dns, `npm run image -- --push REGISTRY/NAME`, and name it here',
    { admission },
  ],
  ...[
    { admission, tenancy, kubernetesVersion: "1.35" },
    { admission: { ...admission, podDNSConfig }, kubernetesVersion: "1.35" },
  ].map((props): [string, object] => [
    'agentImage: is missing: admission needs the webhook here; if the cluster has Kubernetes 1.36 or newer, set kubernetesVersion: "1.36" (got "1.35"), and policies do all of it; if not, build the image in a clone of cdk8s-cluster-dns, `npm run image -- --push REGISTRY/NAME`, and name it here',
    props,
  ]),
  ...[
    [{ edns0: false }, "options: set nothing; set one, such as ndots: 2, or leave podDNSConfig out"],
    [{ ndots: 0 }, "options.ndots: 0 is too small; accepted: a whole number, 1 to 15"],
    [{ ndots: 16 }, "options.ndots: 16 is too large; accepted: a whole number, 1 to 15"],
  ].map(([options, message]): [string, object] => [
    `admission.podDNSConfig.${String(message)}`,
    { admission: { ...admission, podDNSConfig: { options } }, kubernetesVersion: "1.36" },
  ]),
  [
    "agentImage: is missing: admission needs the webhook here; build the image in a clone of cdk8s-cluster-dns, `npm run image -- --push REGISTRY/NAME`, and name it here",
    { admission: { ...admission, placementGuard: true }, kubernetesVersion: "1.37" },
  ],
  [
    "admission.webhook: has no effect: policies do all of it; leave it out, or set enforcement: webhook",
    { admission: { ...admission, webhook: {} }, kubernetesVersion: "1.37" },
  ],
  [
    "admission.webhook.issuerRef: has no effect without certificates: cert-manager; leave it out, or add that",
    { admission: { ...admission, webhook: { issuerRef: { name: "pki" } } }, agentImage },
  ],
  [
    "admission.allowedUsers: has 0 entries; accepted: at least 1",
    { "admission.allowedUsers": [], kubernetesVersion: "1.37" },
  ],
  [
    "admission.allowedUsers: is required but missing; accepted: Users who may change Corefiles and DNS Services, and a namespace's tenant",
    { admission: {}, kubernetesVersion: "1.37" },
  ],
])("refuses: %s", (message, props) => expect(problemsOf(props)).toEqual([message]));

const twelveLetters = (prefix: string) => (_: unknown, i: number) => `${prefix}${String(i).padStart(11, "0")}`;

it.each<[membership: "prefix" | "listed", most: number, by: string]>([
  ["listed", 6246, "cluster-dns-namespaces"],
  ["prefix", 6242, "cluster-dns-pod-dns-audit"],
])("with membership %s takes %s tenants, as the API server does", (membership, most, by) => {
  const of = (length: number) => ({
    admission,
    kubernetesVersion: "1.36",
    tenancy: {
      membership,
      tenants: Array.from({ length }, twelveLetters("t")).map((name) =>
        membership === "listed" ? { name, namespaces: [name.replace("t", "n")] } : { name },
      ),
    },
  });
  expect(problemsOf(of(most))).toEqual([]);
  expect(problemsOf(of(most + 1))).toEqual([
    expect.stringMatching(
      new RegExp(
        `^tenancy.tenants: make an expression of 1000\\d\\d characters in ${by}, where the API server takes 100000; name fewer, or shorter ones$`,
      ),
    ),
  ]);
});

it("refuses more users than an expression can name", () => {
  const allowedUsers = Array.from({ length: 7000 }, twelveLetters("u"));
  expect(problemsOf({ admission: { allowedUsers }, kubernetesVersion: "1.36" })).toEqual([
    expect.stringMatching(
      /^admission.allowedUsers: make an expression of 1120\d\d characters in cluster-dns-configmaps,/,
    ),
  ]);
});

it("reports missing tenants beside users whose policies name them", () => {
  const props = {
    admission,
    kubernetesVersion: "1.30",
    agentImage,
    tenancy: { membership: "listed", tenants: undefined },
  };
  expect(problemsOf(props)).toEqual([expect.stringContaining("tenancy.tenants")]);
});
