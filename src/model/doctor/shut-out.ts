import type { NetworkPolicy, Pod, PolicyPort } from "../kubernetes/kinds";
import { identity } from "../kubernetes/object";
import { portOf } from "../kubernetes/pods";
import { type Finding, finding } from "./finding";
import type { Patient } from "./patient";
import { look } from "./steps";
import { isReached, policiesOfDns, reachedFrom } from "./toward-cluster-dns";

/** Network policies that let no queries to the cluster DNS. A pod gets what any of its policies lets in. */
export function shutOut(patient: Patient): Finding | undefined {
  const [pod] = patient.dnsPods;
  const policies = policiesOfDns(patient).filter(
    ({ spec }) => spec.policyTypes?.includes("Ingress") ?? spec.policyTypes === undefined,
  );
  const [first] = policies;
  if (!pod || !first || pod.spec.hostNetwork === true) return undefined;
  const ports = patient.dnsServices.flatMap(({ spec }) => spec.ports ?? []);
  const shut = (["UDP", "TCP"] as const).filter((protocol) => {
    const { targetPort = 53 } = ports.find((each) => each.port === 53 && each.protocol === protocol) ?? {};
    const port = portOf(pod.spec, targetPort) ?? Number.NaN;
    return !policies.some((policy) => letsIn(policy, protocol, port, pod));
  });
  if (shut.length === 0) return undefined;
  const why = whyUnsure(shut, patient);
  return finding(
    why === undefined ? "shut-out" : "shut-out-aside",
    policies.map(identity).join(", "),
    [`selects pods of the cluster DNS, and no policy of theirs lets in queries by ${shut.join(" and ")}`, why],
    [
      policies.map(look),
      "add a policy that lets port 53 in, by UDP and TCP, from pods and nodes; `networkPolicies` renders it",
    ],
  );
}

/** Why queries may get in all the same. */
function whyUnsure(shut: readonly string[], patient: Patient): string | undefined {
  if (shut.includes("UDP") && isReached(patient))
    return "all watchdogs get answers: this network does not enforce policies, or not yet";
  return reachedFrom(patient).length === 0
    ? "no watchdog tells: some networks enforce no policies, and those of Cilium, Calico or an admin may let queries in"
    : undefined;
}

/** Ports without a protocol are of TCP (networking/v1, NetworkPolicyPort). */
function letsIn({ spec }: NetworkPolicy, protocol: string, port: number, pod: Pod): boolean {
  const opens = ({ protocol: of = "TCP", port: from, endPort }: PolicyPort) =>
    of === protocol && (from === undefined || isWithin(port, portOf(pod.spec, from) ?? Number.NaN, endPort));
  return (spec.ingress ?? []).some(({ ports = [] }) => ports.length === 0 || ports.some(opens));
}

function isWithin(port: number, from: number, to = from): boolean {
  return from <= port && port <= to;
}
