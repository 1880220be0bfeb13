import type { KubernetesObject } from "../kubernetes/object";

export interface Restorer {
  readonly name: string;
  /** What shows it: `eks.amazonaws.com/component=coredns`. */
  readonly mark: string;
}

/** Whoever would undo changes to an object; nobody does for kubeadm's, except `kubeadm upgrade`. */
export function restorerOf(object: KubernetesObject): Restorer | undefined {
  const marks = marksOf(object);
  for (const { pattern, name } of restorers) {
    const mark = marks.find((each) => pattern.test(each));
    if (mark !== undefined) return { name, mark };
  }
  return undefined;
}

/** Labels, annotations, field managers, owners and OpenShift's `managementState`, as `key=value`. */
function marksOf({ kind, spec, metadata }: KubernetesObject): string[] {
  const { labels, annotations, managedFields = [], ownerReferences = [] } = metadata;
  const { managementState = "Managed" } = (spec ?? {}) as { managementState?: string };
  return [
    ...Object.entries({ ...labels, ...annotations })
      // A whole object, of which any text is a part.
      .filter(([key]) => key !== "kubectl.kubernetes.io/last-applied-configuration")
      .map(([key, value]) => `${key}=${value}`),
    ...managedFields.map(({ manager }) => `manager=${manager}`),
    ...ownerReferences.map(({ kind: owner, name }) => `ownerReference=${owner}/${name}`),
    ...(kind === "DNS" ? [`managementState=${managementState}`] : []),
  ];
}

/** Helm's marks behind those of Deckhouse, Argo CD and Flux, which may leave them too. */
const restorers: readonly { readonly pattern: RegExp; readonly name: string }[] = [
  // "Determine fields you can customize for Amazon EKS add-ons" (docs.aws.amazon.com). EKS also labels a CoreDNS that is
  // not an add-on, and only `aws eks list-addons` tells for certain.
  { pattern: /^(eks\.amazonaws\.com\/component=|manager=eks$)/, name: "EKS" },
  // kubernetes/kubernetes cluster/addons/addon-manager/README.md; on GKE's kube-dns and AKS's CoreDNS
  // (Azure/aks-engine#199). With mode EnsureExists it leaves changes alone.
  { pattern: /^addonmanager\.kubernetes\.io\/mode=Reconcile$/, name: "an addon manager (AKS, GKE)" },
  // rancher/wrangler pkg/apply; k3s applies its manifests at each start (docs.k3s.io/installation/packaged-components).
  { pattern: /^objectset\.rio\.cattle\.io\/hash=/, name: "k3s" },
  // deckhouse/deckhouse modules/042-kube-dns, whose objects get these labels from helm_lib_module_labels.
  { pattern: /^heritage=deckhouse$/, name: "Deckhouse" },
  // gardener/gardener docs/concepts/resource-manager.md, which also says so in an annotation.
  { pattern: /^resources\.gardener\.cloud\/(managed-by|description)=/, name: "Gardener" },
  // digitalocean/DOKS; c3 is its control plane's reconciler.
  { pattern: /^doks\.digitalocean\.com\/managed=true$/, name: "DigitalOcean" },
  // k0sproject/k0s pkg/applier.
  { pattern: /^k0s\.k0sproject\.io\/stack(-checksum)?=/, name: "k0s" },
  // carvel.dev/kapp/docs, "Labels & annotations"; Tanzu's packages.
  { pattern: /^kapp\.k14s\.io\/(app|identity)=/, name: "kapp" },
  // kubernetes/kops upup/pkg/fi/cloudup/bootstrapchannelbuilder.
  { pattern: /^app\.kubernetes\.io\/managed-by=kops$/, name: "kOps" },
  // argo-cd.readthedocs.io user-guide/resource_tracking. The label app.kubernetes.io/instance proves nothing: Helm
  // charts set it as well.
  { pattern: /^argocd\.argoproj\.io\/(tracking-id|instance)=/, name: "Argo CD" },
  // fluxcd/kustomize-controller and helm-controller, the labels of what they apply.
  { pattern: /^(kustomize|helm)\.toolkit\.fluxcd\.io\/name=/, name: "Flux" },
  // helm/helm pkg/action/validate.go. RKE2 installs CoreDNS with Helm; the next upgrade restores the chart's objects.
  { pattern: /^meta\.helm\.sh\/release-name=/, name: "Helm" },
  // "Changing the DNS Operator managementState" (docs.redhat.com, networking of OpenShift).
  { pattern: /^managementState=Managed$/, name: "OpenShift's DNS operator" },
  // Whoever says in so many words that the object is not for others to change.
  { pattern: /^ownerReference=/, name: "another object" },
  { pattern: /^[^=]*(\/|^)managed(-by)?=(?!(false|cdk8s-cluster-dns|kubectl|kubeadm|Helm)?$)/, name: "somebody" },
  { pattern: /do[- ]?not[- ](edit|modify|change)/i, name: "somebody" },
];
