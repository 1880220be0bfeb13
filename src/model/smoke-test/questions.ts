import ipaddr from "ipaddr.js";
import { askedZone } from "../corefile/federation";
import type { OutsideNames } from "../corefile/outside-names";
import type { AnsweredZone } from "../corefile/zones";
import type { DnsService } from "../dns-service";
import { namespace } from "../object-names";
import type { FederationOptions } from "../props/federation";
import { familyOf } from "../syntax/addresses";
import { inZone } from "../syntax/names";
import type { Tenancy } from "../tenancy/membership";
import type { SmokeTestQuestion } from "./smoke-test-config";

interface AskedCluster {
  readonly domain: string;
  readonly dnsService: DnsService;
  readonly clusterDNS: readonly string[];
  readonly outside: OutsideNames;
  /** Those that CoreDNS answers itself, if any. */
  readonly zones: readonly AnsweredZone[] | undefined;
  readonly tenancy: Tenancy | undefined;
  readonly federation: FederationOptions | undefined;
  /** Whether CoreDNS and its Service are ours. */
  readonly isOurs: boolean;
  /** Whether nodes have a cache, which asks the upstreams itself. */
  readonly hasCache: boolean;
  readonly outsideName: string | undefined;
}

/** A name that every cluster has. */
export function clusterName({ domain, clusterDNS }: AskedCluster): SmokeTestQuestion {
  return ofRecords("cluster", `kubernetes.default.svc.${domain}`, firstType(clusterDNS));
}

/** @param data All that there may be; none: any. */
function ofRecords(
  about: SmokeTestQuestion["about"],
  name: string,
  type: SmokeTestQuestion["type"],
  ...data: readonly string[]
): SmokeTestQuestion {
  return { about, name, type, expect: "records", ...(data.length > 0 && { data }) };
}

/** What each server is asked besides, apart from names of the test's own pods. */
export function questions(cluster: AskedCluster): SmokeTestQuestion[] {
  const { domain, clusterDNS, zones = [], tenancy, federation } = cluster;
  return [
    ...serviceQuestions(cluster),
    // Hard isolation has no reverse names.
    ...(tenancy?.isolation === "hard" ? [] : clusterDNS.map((address) => reverseQuestion(address, cluster))),
    { about: "absent", name: `${namespace}.svc.${domain}`, type: "A", expect: "absent" },
    ...(tenancy ? tenantQuestions(tenancy, cluster) : []),
    ...(federation
      ? [ofRecords("federation", `kubernetes.default.${askedZone(federation, domain)}`, firstType(clusterDNS))]
      : []),
    // Templates may answer anything.
    ...zones.filter(({ templates }) => templates === undefined).map(({ zone }) => ofRecords("zone", zone, "SOA")),
    ...outsideQuestions(cluster),
  ];
}

/** Below the root, where upstreams find no such name; who reads their logs sees who asked. */
const unknownDomain = "cluster-dns-smoke-test";

/** A reverse zone of private addresses (RFC 6303). Every cache asks the cluster DNS for reverse names. */
const reverseZone = "10.in-addr.arpa";

/** Of the nodes' own resolvers nothing is asked without `outsideName`: a cluster may have no way out. */
function outsideQuestions({ outside, outsideName, clusterDNS, isOurs, hasCache, tenancy }: AskedCluster) {
  const answered = (about: SmokeTestQuestion["about"], name: string): SmokeTestQuestion => ({
    about,
    name,
    type: "A",
    expect: "answered",
  });
  const { stubDomains, upstreamNameservers } = outside;
  // A stub domain may be the reverse zone's, and hard isolation answers no reverse names.
  const isPassedOn = isOurs && hasCache && tenancy?.isolation !== "hard";
  const isStub = stubDomains.some(({ zone }) => inZone(reverseZone, zone));
  return [
    ...stubDomains.map(({ zone }) => answered("stub-domain", zone)),
    ...(outsideName === undefined ? [] : [ofRecords("outside", outsideName, firstType(clusterDNS))]),
    ...(upstreamNameservers && outsideName === undefined ? [answered("upstream", unknownDomain)] : []),
    ...(upstreamNameservers && isPassedOn && !isStub ? [answered("upstream-of-cluster-dns", reverseZone)] : []),
  ];
}

function serviceQuestions(cluster: AskedCluster): SmokeTestQuestion[] {
  const { domain, dnsService, clusterDNS, isOurs } = cluster;
  // kube-dns gives SRV records targets of its own (kubernetes/dns pkg/dns).
  if (!isOurs) return [ofRecords("service", `_https._tcp.kubernetes.default.svc.${domain}`, "SRV")];
  const service = dnsServiceName(cluster);
  return [
    ...clusterDNS.map((address) => ofRecords("service", service, typeOf(address), address)),
    ofRecords("service", `_${dnsService.portNames.tcp}._tcp.${service}`, "SRV", `53 ${service}`),
  ];
}

function reverseQuestion(address: string, cluster: AskedCluster): SmokeTestQuestion {
  return ofRecords("reverse", reverseName(address), "PTR", ...(cluster.isOurs ? [dnsServiceName(cluster)] : []));
}

/** One name that exists for certain, and one tenant's zone: a label or a prefix says nothing before there are namespaces. */
function tenantQuestions(
  { systemTenant: system, tenants: [tenant] = [], membership, isolation }: Tenancy, // a malformed list is left out
  { domain, dnsService, clusterDNS, isOurs }: AskedCluster,
): SmokeTestQuestion[] {
  const zone = (name: string) => `${name}.svc.${domain}`;
  const service = `${dnsService.name}.${dnsService.namespace}.${zone(system?.name ?? "")}`;
  const hasService = system?.namespaces.includes(namespace) && isOurs;
  return [
    ...(hasService ? clusterDNS.map((address) => ofRecords("tenant", service, typeOf(address), address)) : []),
    ...(tenant && membership === "listed" && isolation !== "hard"
      ? [{ about: "tenant", name: zone(tenant.name), type: "A", expect: "exists" } as const]
      : []),
  ];
}

function dnsServiceName({ dnsService: { namespace: of, name }, domain }: AskedCluster): string {
  return `${name}.${of}.svc.${domain}`;
}

function firstType([first = ""]: readonly string[]): "A" | "AAAA" {
  return typeOf(first);
}

export function typeOf(address: string): "A" | "AAAA" {
  return familyOf(address) === "IPv6" ? "AAAA" : "A";
}

/** `10.0.96.10.in-addr.arpa` of 10.96.0.10. */
function reverseName(address: string): string {
  if (!familyOf(address)) return address;
  const bytes = ipaddr.parse(address).toByteArray().reverse();
  if (familyOf(address) === "IPv4") return `${bytes.join(".")}.in-addr.arpa`;
  const nibbles = bytes.flatMap((byte) => [byte & 15, byte >> 4].map((nibble) => nibble.toString(16)));
  return `${nibbles.join(".")}.ip6.arpa`;
}
