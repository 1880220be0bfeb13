import { defaults } from "../defaults";
import { type Finding, grouped, some } from "./finding";
import type { Described, KubeletDns, Observed } from "./observed";
import { isDnsService } from "./services";

/** Kubelets that give pods another nameserver or domain than they should. */
export function kubelets({ kubelets: all, nodes = [], services = [] }: Observed, described?: Described): Finding[] {
  const ofService = services.filter(isDnsService).flatMap(({ spec }) => spec.clusterIPs ?? []);
  const windows = new Set(
    nodes
      .filter(({ metadata }) => metadata.labels?.["kubernetes.io/os"] === "windows")
      .map(({ metadata }) => metadata.name),
  );
  const wrong = [...all]
    .sort(([a], [b]) => a.localeCompare(b, "en"))
    .flatMap(([node, is]) => {
      // No link-local address exists on Windows.
      const wanted = windows.has(node) ? described?.cluster.clusterDNS : described?.cluster.kubelet.clusterDNS;
      const domain = described?.cluster.kubelet.clusterDomain;
      const why = unlike(is, wanted, domain, described?.cluster.clusterDNS ?? ofService);
      return why ? [{ node, ...why }] : [];
    });
  return grouped(wrong, ({ evidence }) => evidence.join()).map(([, same]): Finding => {
    const [{ node = "", severity = "error", evidence = [] } = {}] = same;
    return {
      severity,
      title: "kubelets give pods other DNS settings than described",
      nodes: same.map((each) => each.node),
      where: `${same.length === 1 ? "node" : `${same.length} nodes:`} ${some(same.map((each) => each.node))}`,
      evidence,
      next: [
        `kubectl get --raw /api/v1/nodes/${node}/proxy/configz`,
        ...(described
          ? [
              `cat ${described.folder}/${described.name}/kubelet/50-cluster-dns.conf  # for the kubelets' --config-dir; then restart kubelets and pods`,
            ]
          : []),
      ],
    };
  });
}

/** @param wanted Undefined without a cluster file: then anything that answers is right. */
function unlike(
  { clusterDNS = [], clusterDomain = "" }: KubeletDns,
  wanted: readonly string[] | undefined,
  domain: string | undefined,
  service: readonly string[],
): { severity: "error" | "warning"; evidence: string[] } | undefined {
  const ends = (name: string) => name.replace(/\.$/, "");
  const isOtherDomain = domain !== undefined && ends(clusterDomain) !== ends(domain);
  const answers =
    clusterDNS.length > 0 && clusterDNS.every((address) => service.includes(address) || isLinkLocal(address));
  const isOther = wanted ? clusterDNS.join() !== wanted.join() : service.length > 0 && !answers;
  if (!isOther && !isOtherDomain) return undefined;
  const lacks = (wanted ?? []).filter((address) => !clusterDNS.includes(address));
  const asksService = clusterDNS.length > 0 && clusterDNS.every((address) => service.includes(address));
  return {
    severity: asksService && !isOtherDomain ? "warning" : "error",
    evidence: [
      ...(isOther
        ? [
            `clusterDNS is [${clusterDNS.join(", ")}], it should be [${(wanted ?? service).join(", ")}]`,
            ...(asksService && lacks.length > 0
              ? [
                  lacks.every((address) => service.includes(address))
                    ? `pods are not told ${lacks.join(", ")}, which they need where the other family does not work`
                    : "pods ask the DNS Service, past the node's cache",
                ]
              : []),
          ]
        : []),
      ...(isOtherDomain ? [`clusterDomain is ${clusterDomain || "not set"}, it should be ${domain}`] : []),
    ],
  };
}

function isLinkLocal(address: string): boolean {
  return /^(169\.254\.|fe80:)/i.test(address) || address === defaults.linkLocalAddresses.IPv6;
}
