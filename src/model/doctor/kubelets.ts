import { defaults } from "../defaults";
import { atNodes, type Finding, finding } from "./finding";
import { grouped } from "../syntax/grouped";
import type { FindingId } from "./findings";
import type { KubeletDns } from "../running/cluster-state";
import { kubeletFile } from "./described";
import { dense } from "../syntax/sparse";
import type { Patient } from "./patient";
import { raw, noted } from "./suggestions";

/** Kubelets that give pods another nameserver or domain than they should. */
export function kubelets(patient: Patient): Finding[] {
  const { kubelets: all, nodes = [] } = patient.state;
  const ofService = patient.dnsServices.flatMap(({ spec }) => spec.clusterIPs ?? []);
  const windows = new Set(
    nodes
      .filter(({ metadata }) => metadata.labels?.["kubernetes.io/os"] === "windows")
      .map(({ metadata }) => metadata.name),
  );
  const wrong = [...all]
    .sort(([a], [b]) => a.localeCompare(b, "en"))
    .flatMap(([node, is]) => {
      // No link-local address exists on Windows.
      const wanted = windows.has(node) ? patient.cluster?.said.clusterDNS : patient.cluster?.kubelet.clusterDNS;
      const domain = patient.cluster?.kubelet.clusterDomain;
      const why = unlike(is, wanted, domain, patient.cluster?.said.clusterDNS ?? ofService);
      return why ? [{ node, told: is.clusterDNS ?? [], ...why }] : [];
    });
  const isLinkLocalOnly = patient.cluster?.queryPath?.interception === "link-local";
  const file =
    patient.described &&
    noted(kubeletFile(patient.described), "for the kubelets' --config-dir; then restart kubelets and pods");
  return grouped(wrong, ({ evidence }) => evidence.join()).map(([, same]) => {
    const [{ id, node, told, evidence }] = same;
    // Pods that run keep these addresses until they are restarted.
    const isOfOtherCache = isLinkLocalOnly && told.length > 0 && told.every(isLinkLocal);
    return finding(id, atNodes(same.map((each) => each.node)), evidence, [
      raw(`/api/v1/nodes/${node}/proxy/configz`),
      file,
      isOfOtherCache && `if no other cache is there: nodeLocalDNS.linkLocalAddresses: [${told.join(", ")}]`,
    ]);
  });
}

/** @param wanted Undefined without a cluster file: then anything that answers is right. */
function unlike(
  { clusterDNS = [], clusterDomain = "" }: KubeletDns,
  wanted: readonly string[] | undefined,
  domain: string | undefined,
  service: readonly string[],
): { id: FindingId; evidence: string[] } | undefined {
  const ends = (name: string) => name.replace(/\.$/, "");
  const isOtherDomain = domain !== undefined && ends(clusterDomain) !== ends(domain);
  const answers =
    clusterDNS.length > 0 && clusterDNS.every((address) => service.includes(address) || isLinkLocal(address));
  const isOther = wanted ? clusterDNS.join() !== wanted.join() : service.length > 0 && !answers;
  if (!isOther && !isOtherDomain) return undefined;
  const lacks = (wanted ?? []).filter((address) => !clusterDNS.includes(address));
  const asksService = clusterDNS.length > 0 && clusterDNS.every((address) => service.includes(address));
  const consequence = lacks.every((address) => service.includes(address))
    ? `pods are not told ${lacks.join(", ")}, which they need where the other family does not work`
    : "pods ask the DNS Service, past the node's cache";
  return {
    id: asksService && !isOtherDomain ? "kubelet-incomplete" : "kubelet-dns-differs",
    evidence: dense([
      isOther && `clusterDNS is [${clusterDNS.join(", ")}], it should be [${(wanted ?? service).join(", ")}]`,
      isOther && asksService && lacks.length > 0 && consequence,
      isOtherDomain && `clusterDomain is ${clusterDomain || "not set"}, it should be ${domain}`,
    ]),
  };
}

function isLinkLocal(address: string): boolean {
  return /^(169\.254\.|fe80:)/i.test(address) || address === defaults.linkLocalAddresses.IPv6;
}
