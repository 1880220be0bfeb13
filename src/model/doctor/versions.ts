import { hasLocalRedirectFaults, localRedirectFaults } from "../cilium-version";
import { findProxy } from "../running/find-proxy";
import { compareVersions } from "../syntax/compare-versions";
import type { Workload } from "../kubernetes/kinds";
import { atEach, type Finding, finding, type Findings } from "./finding";
import { grouped } from "../syntax/grouped";
import type { Patient } from "./patient";
import { kubectl, onNode, system } from "./suggestions";

/** Versions of other components with a known fault that concerns DNS. */
export function versions(patient: Patient): Findings {
  return [kubeProxy(patient), cilium(patient)];
}

/** The first release of each line with kubernetes#137501; lines before have none, 1.36.0 and later have it. */
const fixedKubeProxies = ["1.33.11", "1.34.7", "1.35.4", "1.36.0"];

/** nft of a kube-proxy before that crashes on sets that nft 1.1.3 or newer has made on the node. */
function kubeProxy(patient: Patient): Finding[] {
  const { nodes = [], workloads = [] } = patient.state;
  const mode = findProxy(patient.state).mode ?? patient.cluster?.said.kubeProxyMode;
  if (mode !== "nftables") return [];
  const ofDaemonSet = runningVersion("kube-proxy", workloads);
  // Where it is no DaemonSet, it is updated with the kubelet.
  const ofNodes = nodes.map(({ metadata, status }) => ({
    version: versionOf(status?.nodeInfo?.kubeletVersion),
    where: `node ${metadata.name}`,
  }));
  const found = ofDaemonSet ? [{ version: ofDaemonSet, where: "DaemonSet kube-system/kube-proxy" }] : ofNodes;
  const faulty = found.filter(({ version }) => version && isBeforeFix(version, fixedKubeProxies));
  return grouped(faulty, ({ version }) => version).map(([version, same]) =>
    finding(
      "kube-proxy-faulty",
      atEach(same.map(({ where }) => where)),
      [
        `version ${version}: its nft crashes on sets that a newer nft has made (kubernetes#136786), fixed in ${fixedKubeProxies.join(", ")}`,
        "our agent's nft is older than 1.1.3; another program of the node may bring a newer one",
      ],
      [onNode("on a node")`nft --version`, kubectl`get nodes -o wide`],
    ),
  );
}

function cilium({ state: { workloads = [] }, cluster }: Patient): Findings {
  const { queryPath, said } = cluster ?? {};
  const ciliumVersion = said?.ciliumVersion;
  if (queryPath?.interception !== "local-redirect") return [];
  const version = runningVersion("cilium", workloads);
  if (version === undefined) return [];
  const where = "DaemonSet kube-system/cilium";
  return [
    hasLocalRedirectFaults(version) &&
      finding("cilium-faulty", where, `version ${version}: ${localRedirectFaults.what}`, [
        kubectl`exec -n kube-system ds/cilium -c cilium-agent -- cilium-dbg lrp list`,
        system`get ciliumlocalredirectpolicies -o yaml`,
      ]),
    ciliumVersion !== undefined &&
      ciliumVersion !== version &&
      finding(
        "cilium-differs",
        where,
        `version ${version}, the cluster file says ciliumVersion: ${ciliumVersion}`,
        system`get daemonset cilium -o jsonpath={.spec.template.spec.containers[*].image}`,
      ),
  ];
}

/** The version in the first tag of a workload's images that has one. */
function runningVersion(name: string, workloads: readonly Workload[]): string | undefined {
  const containers = workloads.find(({ metadata }) => metadata.name === name)?.spec.template.spec.containers ?? [];
  return containers.map(({ image }) => versionOf(image)).find(Boolean);
}

/** `1.37.1` of `v1.37.1-eks.2` or of an image's tag. */
function versionOf(text = ""): string | undefined {
  return /(?:^|:)v?(\d+\.\d+\.\d+)/.exec(text)?.[1];
}

function isBeforeFix(version: string, fixes: readonly string[]): boolean {
  const line = (each: string) => each.split(".").slice(0, 2).join(".");
  const fix = fixes.find((each) => line(each) === line(version)) ?? fixes.at(-1) ?? version;
  return compareVersions(version, fix) < 0;
}
