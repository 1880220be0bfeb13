import { jsonPatch } from "../kubernetes/json-patch";
import type { Service } from "../kubernetes/kinds";
import { identity } from "../kubernetes/object";
import { selectorText } from "../kubernetes/selectors";
import { canonicalAddress } from "../syntax/addresses";
import { isSame } from "./drift";
import { finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { look, noted, patching } from "./suggestions";

/** Services with an address and port of ours beside their own: kube-proxy leads what is sent there to their pods. */
export function takenAddresses(patient: Patient): Findings {
  const { services = [] } = patient.state;
  const rendered = patient.rendered<Service>("Service");
  const own = services.filter(
    (each) => patient.dnsServices.includes(each) || rendered.some((one) => isSame(one, each)),
  );
  const { nameservers = [], said, queryPath } = patient.cluster ?? {};
  const asked = [...nameservers, ...(said?.clusterDNS ?? []), ...(queryPath?.listenAddresses ?? [])];
  const ofDns = ["UDP", "TCP"].flatMap((protocol) => asked.map((address) => keyOf(address, { port: 53, protocol })));
  return services.map((service) => {
    const ours = new Set([
      ...own.filter((each) => each !== service).flatMap(({ spec }) => keysOf(spec.clusterIPs ?? [], spec)),
      ...(patient.dnsServices.includes(service) ? [] : ofDns),
    ]);
    const isOurs = (address: string) => keysOf([address], service.spec).some((key) => ours.has(key));
    const taken = addressesOf(service).filter(({ address }) => isOurs(address));
    if (taken.length === 0) return undefined;
    const patch = jsonPatch(
      service,
      {},
      taken.flatMap(({ path, address }) => (path ? [{ path, before: address, after: undefined }] : [])),
    );
    return finding(
      "address-taken",
      identity(service),
      [
        taken.map(({ field, address }) => `${field} has ${address}`),
        `kube-proxy leads what is sent there, or a part of it, to its pods (${selectorText(service.spec.selector) || "no selector"})`,
      ],
      [
        look(service),
        patch.length > 0
          ? noted(patching(service, patch), "in what applies it, too")
          : "let its load balancer have another address",
      ],
    );
  });
}

/** Those that kube-proxy takes for a Service's beside its clusterIPs. */
function addressesOf({ spec, status }: Service) {
  const { externalIPs = [], loadBalancerIP } = spec;
  return [
    ...externalIPs.map((address, i) => ({ field: "spec.externalIPs", address, path: ["spec", "externalIPs", i] })),
    ...(loadBalancerIP === undefined
      ? []
      : [{ field: "spec.loadBalancerIP", address: loadBalancerIP, path: ["spec", "loadBalancerIP"] }]),
    ...(status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) =>
      ip === undefined ? [] : [{ field: "status.loadBalancer", address: ip, path: undefined }],
    ),
  ];
}

function keysOf(addresses: readonly string[], { ports = [] }: Service["spec"]): string[] {
  return addresses.flatMap((address) => ports.map((each) => keyOf(address, each)));
}

function keyOf(address: string, { port, protocol = "TCP" }: { readonly port: number; readonly protocol?: string }) {
  return `${canonicalAddress(address)} ${port}/${protocol}`;
}
