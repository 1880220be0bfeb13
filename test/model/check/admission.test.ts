import { expect, it } from "vitest";
import { agentImage, problemsOf } from "./problems";

const admission = { allowedUsers: ["system:serviceaccount:argocd:argocd-application-controller"] };
const podDNSConfig = { options: { ndots: 2, timeout: 1, "use-vc": true }, excludedNamespaces: ["legacy"] };
const tenancy = { tenants: [{ name: "baz", namespaces: ["bar"] }] };
const issued = { certificates: "cert-manager", issuerRef: { name: "pki", kind: "ClusterIssuer" } };

it.each<[what: string, props: object]>([
  ["policies without the agent's image", { admission, kubernetesVersion: "1.30" }],
  ["pods' DNS by policy without it", { admission, tenancy, kubernetesVersion: "1.36" }],
  ["pods' options by policy without it", { admission: { ...admission, podDNSConfig }, kubernetesVersion: "1.36" }],
  ["names with spaces", { admission: { allowedUsers: ["c d"], allowedGroups: ["a b"] }, kubernetesVersion: "1.36" }],
  ["the webhook with it", { admission: { ...admission, placementGuard: true }, agentImage }],
  ["an issuer of cert-manager", { admission: { ...admission, webhook: issued }, agentImage }],
])("accepts %s", (_what, props) => expect(problemsOf(props)).toEqual([]));

const twelveLetters = (prefix: string) => (_: unknown, i: number) => `${prefix}${String(i).padStart(11, "0")}`;
const many = Array.from({ length: 7000 }, twelveLetters("u"));
const build = "build the image in a clone of cdk8s-cluster-dns, `npm run image -- --push REGISTRY/NAME`, and name";
const agentFrom = (version: string, got: string) =>
  `admission: needs agentImage: its webhook is needed here; if the cluster has Kubernetes ${version} or newer, set kubernetesVersion: "${version}" (${got}), and policies do all of it; if not, ${build}`;
const ofPods = (options: object, kubernetesVersion = "1.36") => {
  return { admission: { ...admission, podDNSConfig: { options } }, kubernetesVersion };
};

it.each<[message: string, props: object]>([
  [agentFrom("1.30", "none is set"), { admission }],
  [agentFrom("1.36", 'got "1.35"'), { admission, tenancy, kubernetesVersion: "1.35" }],
  [agentFrom("1.36", 'got "1.35"'), ofPods({ ndots: 2 }, "1.35")],
  ["admission.podDNSConfig.options: set nothing; set one, such as", ofPods({ edns0: false })],
  [`is needed here; ${build}`, { admission: { ...admission, placementGuard: true }, kubernetesVersion: "1.37" }],
  ["webhook: has no effect: policies", { admission: { ...admission, webhook: {} }, kubernetesVersion: "1.37" }],
  ["issuerRef: has no", { admission: { ...admission, webhook: { issuerRef: { name: "pki" } } }, agentImage }],
  ["allowedUsers: is required but missing; accepted: Users", { admission: {}, kubernetesVersion: "1.37" }],
  ["admission.allowedUsers: make an expression of 1120", { "admission.allowedUsers": many, kubernetesVersion: "1.36" }],
  // Whose policies name them.
  ["tenancy.tenants: is", { admission, kubernetesVersion: "1.30", agentImage, tenancy: { membership: "listed" } }],
])("refuses: %s", (message, props) => expect(problemsOf(props)).toEqual([expect.stringContaining(message)]));

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
    expect.stringMatching(`^tenancy.tenants: make an expression of 1000\\d\\d characters in ${by}, where`),
  ]);
});
