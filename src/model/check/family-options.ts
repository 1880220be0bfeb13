import { familyOf } from "../syntax/addresses";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { about, type Given } from "./report";
import { typeOf } from "../corefile/zones";

/** `filterAAAA` is for clusters without IPv6, `dns64` for those without IPv4, and `no-aaaa` for those with IPv4. */
export function familyOptionRules({ said }: Given): Problem[] {
  const { filterAAAA, dns64, clusterDNS = [], hostAliases, zones, admission } = said;
  const of = (family: "IPv4" | "IPv6") => clusterDNS.find((address) => familyOf(address) === family);
  return [
    ...about(["filterAAAA"]).when(
      filterAAAA && of("IPv6") !== undefined,
      `takes IPv6 addresses from pods that have IPv6: clusterDNS has ${of("IPv6")}; leave it out`,
    ),
    ...hostAliases.flatMap(({ ip }, i) =>
      about(["hostAliases", i, "ip"]).when(
        filterAAAA && ip !== undefined && familyOf(ip) === "IPv6",
        `${show(ip)} is IPv6, which filterAAAA never answers; leave one out`,
      ),
    ),
    ...Object.entries(zones).flatMap(([zone, { records = {}, templates = [] }]) => [
      ...Object.entries(records).flatMap(([name, { AAAA }]) =>
        about(["zones", zone, "records", name, "AAAA"]).when(filterAAAA && AAAA !== undefined, unanswered),
      ),
      ...templates.flatMap((each, i) =>
        about(["zones", zone, "templates", i]).when(filterAAAA && typeOf(each) === "AAAA", unanswered),
      ),
    ]),
    ...about(["dns64"]).when(
      dns64 !== undefined && of("IPv4") !== undefined,
      `is for pods without IPv4, and clusterDNS has ${of("IPv4")}; leave it out`,
    ),
    ...about(["admission", "podDNSConfig", "options", "no-aaaa"]).when(
      admission?.podDNSConfig?.options?.["no-aaaa"] === true && of("IPv6") !== undefined && of("IPv4") === undefined,
      `leaves pods without an address of anything: clusterDNS has only IPv6, ${of("IPv6")}; leave it out`,
    ),
  ];
}

const unanswered = "is what filterAAAA never answers; leave one out";
