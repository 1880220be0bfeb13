import { defaults } from "../defaults";
import { differences } from "../kubernetes/differences";
import { coreDnsVersionIn } from "../images";
import type { Container } from "../kubernetes/kinds";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { podTemplate } from "../kubernetes/pods";
import { type FoundValue, found, unlessDefault } from "./found";
import { authoritativeLabels } from "../object-names";

/** Those of coredns.yaml.base, which nobody chose for this cluster. */
const kubernetesResources = { requests: { cpu: "100m", memory: "70Mi" }, limits: { memory: "170Mi" } };

export function dnsContainer(workload: KubernetesObject): Container | undefined {
  return podTemplate(workload).spec.containers.find(({ name }) => name.includes("dns"));
}

export function workloadProps(workload: KubernetesObject): FoundValue[] {
  const { nodeSelector, tolerations = [] } = podTemplate(workload).spec;
  const resources: object = dnsContainer(workload)?.resources ?? {};
  const isChosen = differences(resources, kubernetesResources).length > 0 && Object.keys(resources).length > 0;
  const registry = mirrorOf(dnsContainer(workload)?.image);
  const of = "authoritativeDNS";
  return [
    ...unlessDefault(`${of}.kind`, workload.kind, defaults.authoritativeDNS.kind),
    ...unlessDefault(`${of}.replicas`, workload.spec?.["replicas"], defaults.leastReplicas),
    ...(isChosen ? found(`${of}.resources`, resources) : []),
    ...unlessDefault(`${of}.nodePlacement.nodeSelector`, nodeSelector, defaults.nodePlacement.nodeSelector),
    ...unlessDefault(`${of}.nodePlacement.tolerations`, tolerations, []),
    ...(registry === undefined ? [] : unlessDefault("imageRegistry", registry, defaults.cluster.imageRegistry)),
  ];
}

/** Of an image with the name and tag of registry.k8s.io's. Docker Hub's has tags without `v`; k8s.gcr.io is older. */
function mirrorOf(image = ""): string | undefined {
  const registry = /^(.+)\/coredns\/coredns:v\d/.exec(image)?.[1];
  return registry === "k8s.gcr.io" ? defaults.cluster.imageRegistry : registry;
}

/** An image of another source: nodes may be able to pull from nowhere else. */
export function otherImage(workload: KubernetesObject): string | undefined {
  const image = dnsContainer(workload)?.image;
  if (image === undefined || mirrorOf(image) !== undefined || image.startsWith("k8s.gcr.io/")) return undefined;
  return `${identity(workload)}: image ${image}; ours: ${defaults.authoritativeDNS.image}: set imageRegistry if nodes cannot pull from there`;
}

/** Our version of CoreDNS, if a workload has another. */
export function otherVersion(workload: KubernetesObject): string | undefined {
  const images = podTemplate(workload).spec.containers.map(({ image = "" }) => image);
  const [version] = images
    .filter((image) => image.includes("coredns:"))
    .flatMap((image) => coreDnsVersionIn(image) ?? []);
  const ours = coreDnsVersionIn(defaults.authoritativeDNS.image);
  return version === undefined || version === ours ? undefined : `CoreDNS ${ours}, in place of ${version}`;
}

/** What an object of ours shows beyond what anybody's would: the agent's image, and extra labels and annotations. */
export function ownProps(object: KubernetesObject): FoundValue[] {
  const { spec, labels, annotations } = podTemplate(object);
  const agent = [...(spec.initContainers ?? []), ...spec.containers].find(({ args }) =>
    ["node-setup", "watchdog"].includes(args?.[0] ?? ""),
  );
  const isDNS = object.metadata.labels?.["k8s-app"] === authoritativeLabels["k8s-app"];
  return [
    ...found("agentImage", agent?.image),
    ...(isDNS ? extra("labels", labels, /^(k8s-app$|app\.kubernetes\.io\/|cdk8s-cluster-dns\/)/) : []),
    ...(isDNS ? extra("annotations", annotations, /^kubectl\.kubernetes\.io\//) : []),
  ];
}

function extra(key: string, all: { readonly [key: string]: string }, usual: RegExp): FoundValue[] {
  const own = Object.entries(all).filter(([name]) => !usual.test(name));
  return own.length === 0 ? [] : [{ path: [key], value: Object.fromEntries(own) }];
}
