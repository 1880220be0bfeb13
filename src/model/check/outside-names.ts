import { zonesOfNamespaces } from "../cluster/zone-owners";
import { addressRange, canonicalAddress, familyOf, parseServer } from "../syntax/addresses";
import { healthZone } from "../corefile/node-local-dns";
import type { FullProps } from "../full-props/fill-in";
import { nameserverFault, ownAddresses } from "../query-path/nameservers";
import { linkLocalAddressesOf } from "../query-path/query-path";
import type { Problem } from "../syntax/problem";
import { respelt } from "../syntax/respelt";
import { article, show } from "../syntax/show";
import { canonicalName, inZone, isDNSName, isDNSSubdomain, longestServiceZone, reverseZones } from "../syntax/names";
import { about, aboutKey, type Given } from "./report";
import { valuesOf } from "./values-of";

/** Names outside the cluster domain (upstreams, stub domains, host aliases), and the cluster domain itself. */
export function outsideNameRules({ written, said }: Given): Problem[] {
  const { clusterDomain, upstreamNameservers = [], upstreamTLSServerName, stubDomains } = said;
  return [
    ...about(["clusterDomain"]).say(clusterDomainFault(clusterDomain)),
    ...valuesOf("Server", written).flatMap(({ path, value }) => about(path).say(serverFault(said, value))),
    ...upstreamNameservers.flatMap((server, i) =>
      about(["upstreamNameservers", i]).when(
        upstreamTLSServerName !== undefined && parseServer(server)?.port === 53,
        `${show(server)} is the port of DNS without TLS, but upstreamTLSServerName asks with TLS; leave the port out for 853 (RFC 7858), or leave upstreamTLSServerName out`,
      ),
    ),
    ...about(["upstreamTLSServerName"]).when(
      upstreamTLSServerName !== undefined && written.upstreamNameservers === undefined,
      "needs upstreamNameservers: the resolvers of a node are asked without TLS",
    ),
    ...aboutKey(zoneProblems("stubDomains", said)),
    ...Object.entries(stubDomains).flatMap(([zone, servers]) =>
      about(["stubDomains", zone]).when(
        servers.length < 1 || servers.length > 15,
        `has ${servers.length} servers; accepted: 1 to 15`,
      ),
    ),
    ...aliasProblems(said, (name) => aliasFault(name, clusterDomain)),
  ];
}

export function aliasProblems({ hostAliases }: FullProps, faultOf: (name: string) => string | undefined): Problem[] {
  return hostAliases.flatMap(({ hostnames = [] }, i) =>
    hostnames.flatMap((name, j) => about(["hostAliases", i, "hostnames", j]).say(faultOf(name))),
  );
}

export function aliasFault(name: string, clusterDomain: string): string | undefined {
  return inZone(name, clusterDomain)
    ? `${show(name)} is in the cluster domain; make it a Service, or choose a name outside ${clusterDomain}`
    : addressFault(name);
}

/** `10.1.1.1` has the spelling of a name, and no server knows one of that name. */
export function addressFault(name: string): string | undefined {
  return (
    familyOf(canonicalName(name)) &&
    `${show(name)} is an address; accepted: a name (hostAliases and records of zones have addresses)`
  );
}

function clusterDomainFault(name: string): string | undefined {
  const taken = [...reverseZones, healthZone];
  if (!isDNSSubdomain(name) || !isDNSName(name) || name === "arpa" || taken.some((zone) => inZone(name, zone)))
    return `${show(name)} is not a cluster domain; accepted: a lower case DNS name such as cluster.local${respelt(name, isDNSSubdomain)}`;
  return `svc.${name}`.length > longestServiceZone
    ? `${show(name)} has ${name.length} characters; at most ${longestServiceZone - "svc.".length}, or names of Services would have more than 253`
    : undefined;
}

export function serverFault({ clusterDNS = [], nodeLocalDNS }: FullProps, text: string): string | undefined {
  const server = parseServer(text);
  if (!server)
    return `${show(text)} is not a server; accepted: IP, IP:port or [IPv6]:port (a name would need DNS first)${notAServer(text)}`;
  const linkLocal = linkLocalAddressesOf(["IPv4", "IPv6"], nodeLocalDNS.linkLocalAddresses);
  const fault = nameserverFault(server.address, ownAddresses(clusterDNS, linkLocal));
  if (fault === "own")
    return `${show(text)} is the cluster's own DNS: it would ask itself in a loop; name a server outside`;
  const range = addressRange(canonicalAddress(server.address));
  if (fault === "loopback" || ["multicast", "broadcast"].includes(range))
    return `${show(text)} is ${article(range)} address, where a pod reaches only itself; name a server outside${server.address === "127.0.0.53" ? ", or set resolvConf: /run/systemd/resolve/resolv.conf in its place" : ""}`;
  return range === "linkLocal" && familyOf(server.address) === "IPv6"
    ? `${show(text)} is a link-local address, which IPv6 cannot reach without a scope; name another address of the server`
    : undefined;
}

/** What to say of what CoreDNS's `forward` takes as well. */
function notAServer(text: string): string {
  if (text.startsWith("tls://"))
    return "; to ask over TLS, leave tls:// out, and name the certificate in upstreamTLSServerName, or in tlsServerName of a zone";
  if (text.startsWith("https://")) return "; there is no key for DNS over HTTPS: ask the server over TLS";
  return text.startsWith("/") ? "; the node's own servers are asked without upstreamNameservers" : "";
}

/** What holds the names of all Services and pods, and what pods' search lists end in. */
export function zonesOfCluster(clusterDomain: string): string[] {
  return ["", "svc.", "pod."].map((part) => part + clusterDomain);
}

export function zoneProblems(key: "stubDomains" | "zones", said: FullProps): Problem[] {
  const { clusterDomain, stubDomains, zones } = said;
  const ofCluster = zonesOfCluster(clusterDomain);
  const tenants = new Set(zonesOfNamespaces(said));
  const spellings = new Map<string, number>();
  for (const zone of Object.keys(said[key]).map(canonicalName)) spellings.set(zone, (spellings.get(zone) ?? 0) + 1);
  const others = new Set(Object.keys(key === "zones" ? stubDomains : {}).map(canonicalName));
  return Object.keys({ stubDomains, zones }[key]).flatMap((zone) =>
    ofZone(zone, [key, zone], { spellings, others, ofCluster, tenants, clusterDomain }),
  );
}

function ofZone(
  zone: string,
  path: Problem["path"],
  known: {
    readonly spellings: ReadonlyMap<string, number>;
    readonly others: ReadonlySet<string>;
    readonly ofCluster: readonly string[];
    readonly tenants: ReadonlySet<string>;
    readonly clusterDomain: string;
  },
): Problem[] {
  const name = canonicalName(zone);
  if (!isDNSName(zone)) {
    const meant = zone.startsWith("*.") ? `; a zone has all names below it: ${zone.slice("*.".length)}` : "";
    const instead = zone === "." ? "; servers for all names are upstreamNameservers" : meant;
    return about(path).say(`${show(zone)} is not a zone; accepted: a DNS name such as corp.example${instead}`);
  }
  return [
    ...about(path).when(
      (known.spellings.get(name) ?? 0) > 1,
      `${show(zone)} is listed twice, in two spellings; keep one`,
    ),
    ...about(path).when(known.others.has(name), `${show(zone)} is also in stubDomains; keep one`),
    ...about(path).when(
      known.ofCluster.includes(name),
      `${show(zone)} has the cluster's own names, which authoritative DNS answers; name a zone below it`,
    ),
    ...about(path).when(
      inZone(name, known.clusterDomain) &&
        known.tenants.has(
          name
            .split(".")
            .slice(-known.clusterDomain.split(".").length - 2)
            .join("."),
        ),
      `${show(zone)} has names of a tenant or of the federation; name another zone`,
    ),
    ...about(path).when(
      reverseZones.some((ours) => inZone(ours, zone)) || name === healthZone,
      `${show(zone)} is, or contains, what the cluster DNS answers itself; name a zone below it`,
    ),
  ];
}
