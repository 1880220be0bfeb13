import type { NetworkPolicy, Pod, PolicyPort, PolicyRule } from "../kubernetes/kinds";
import { identity } from "../kubernetes/object";
import { isCurrent, portOf } from "../kubernetes/pods";
import { dnsPort } from "../network-policies/policy";
import { names } from "../object-names";
import { dense } from "../syntax/sparse";
import { knownComplaints } from "./complaints";
import { applying } from "./described";
import { atEach, type Finding, finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { look } from "./suggestions";
import { isReached, policiesOf, reachedFrom } from "./toward-cluster-dns";

/** Pods with one set of labels, which policies apply to alike, and what they need. */
interface Program {
  readonly what: string;
  readonly pods: readonly Pod[];
  /** Where it is asked, by each protocol. */
  readonly ports: { readonly [protocol in "UDP" | "TCP"]: number | string };
  readonly asksApi: boolean;
}

/** Network policies that keep DNS from whom it serves, or from what it needs. On a node's own network, none applies. */
export function shutOut(patient: Patient): Findings {
  const ports = patient.dnsServices.flatMap(({ spec }) => spec.ports ?? []);
  const target = (protocol: string) =>
    ports.find((each) => each.port === dnsPort && each.protocol === protocol)?.targetPort ?? dnsPort;
  const ofService = { UDP: target("UDP"), TCP: target("TCP") };
  const caches = patient.podsOfApp(names.nodeLocalDns);
  const programs: readonly Program[] = [
    { what: "the cluster DNS", pods: patient.dnsPods, ports: ofService, asksApi: true },
    { what: "the cache", pods: caches, ports: { UDP: dnsPort, TCP: dnsPort }, asksApi: false },
  ];
  return programs
    .map((each) => ({ ...each, pods: each.pods.filter((pod) => isCurrent(pod) && pod.spec.hostNetwork !== true) }))
    .map((each) => [shutIngress(each, patient), shutEgress(each, patient)]);
}

/** A pod gets what any of its policies lets in. */
function shutIngress({ what, pods, ports }: Program, patient: Patient): Finding | undefined {
  const policies = policiesOf(pods, patient).filter(
    ({ spec }) => spec.policyTypes?.includes("Ingress") ?? spec.policyTypes === undefined,
  );
  const rules = policies.flatMap(({ spec }) => spec.ingress ?? []);
  const [pod] = pods;
  if (!pod || policies.length === 0) return undefined;
  const shut = (["UDP", "TCP"] as const).filter((protocol) => {
    const port = portOf(pod.spec, ports[protocol]) ?? Number.NaN;
    return !rules.some((rule) => opens(rule, protocol, (from, to) => isWithin(port, pod, from, to)));
  });
  if (shut.length === 0) return undefined;
  const evidence = `selects pods of ${what}, and no policy of theirs lets in queries by ${shut.join(" and ")}`;
  const why = whyUnsure(shut, patient);
  return findingOf(why === undefined ? "shut-out" : "shut-out-aside", policies, [evidence, why], patient);
}

/** The same of what a pod sends. Servers outside are no pods, nor is, to most networks, the API server. */
function shutEgress({ what, pods, asksApi }: Program, patient: Patient): Finding | undefined {
  const policies = policiesOf(pods, patient).filter(
    ({ spec }) => spec.policyTypes?.includes("Egress") ?? spec.egress !== undefined,
  );
  if (policies.length === 0) return undefined;
  const protocol = patient.cluster?.said.upstreamTLSServerName === undefined ? "UDP" : "TCP";
  const rules = policies.flatMap(({ spec }) => spec.egress ?? []);
  const outside = rules.filter(({ to = [] }) => to.length === 0 || to.some(({ ipBlock }) => ipBlock));
  const letsOut = (by: string, isEnough: IsEnough) => outside.some((rule) => opens(rule, by, isEnough));
  const lacking = dense([
    !letsOut(protocol, () => true) && `queries by ${protocol} to servers for names outside`,
    // Its port varies, and is never that of DNS.
    asksApi &&
      !letsOut("TCP", (from, to) => from !== dnsPort || (to ?? from) > dnsPort) &&
      "TCP to the API server, so that it answers from what it knew, and cannot start again",
  ]);
  if (lacking.length === 0) return undefined;
  const known = knownComplaints(patient);
  const logs = pods.flatMap(({ metadata }) => [...(patient.state.logs.get(metadata.name)?.values() ?? [])]);
  const isSaid = logs.some(({ complaints }) => complaints.some((each) => known[each.complaint]?.isOfNetwork));
  const why = !isSaid && "no log of theirs complains: this network does not enforce policies, or not yet";
  const evidence = `selects pods of ${what}, and no policy of theirs lets out ${lacking.join("; nor ")}`;
  return findingOf(isSaid ? "shut-in" : "shut-in-aside", policies, [evidence, why], patient);
}

function findingOf(
  id: "shut-out" | "shut-out-aside" | "shut-in" | "shut-in-aside",
  policies: readonly NetworkPolicy[],
  evidence: readonly (string | false | undefined)[],
  { described }: Patient,
): Finding {
  const isOurs = described?.cluster.components.authoritativeDns !== undefined;
  return finding(id, atEach(policies.map(identity)), evidence, [
    policies.map(look),
    "add a policy that lets in port 53 by UDP and TCP, from pods and nodes, and out DNS and TCP to the API server: `networkPolicies: true` in the cluster file renders it",
    isOurs && applying(described),
  ]);
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
function opens({ ports = [] }: PolicyRule, protocol: string, isEnough: IsEnough): boolean {
  const is = ({ protocol: of = "TCP", port, endPort }: PolicyPort) =>
    of === protocol && (port === undefined || isEnough(port, endPort));
  return ports.length === 0 || ports.some(is);
}

type IsEnough = (from: number | string, to: number | undefined) => boolean;

function isWithin(port: number, { spec }: Pod, from: number | string, to: number | undefined): boolean {
  const first = portOf(spec, from) ?? Number.NaN;
  return first <= port && port <= (to ?? first);
}
