import type { FullProps } from "../full-props/fill-in";
import { familyOf } from "../syntax/addresses";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { when } from "./report";
import { typeOf } from "../corefile/zones";

/** `filterAAAA` is for clusters without IPv6, `dns64` for those without IPv4, and `no-aaaa` for those with IPv4. */
export function familyOptionRules(said: FullProps): Problem[] {
  const { filterAAAA, dns64, clusterDNS = [], hostAliases, zones, admission } = said;
  const of = (family: "IPv4" | "IPv6") => clusterDNS.find((address) => familyOf(address) === family);
  return [
    ...when(
      filterAAAA && of("IPv6") !== undefined,
      ["filterAAAA"],
      `takes IPv6 addresses from pods that have IPv6: clusterDNS has ${of("IPv6")}; leave it out`,
    ),
    ...hostAliases.flatMap(({ ip }, i) =>
      when(
        filterAAAA && ip !== undefined && familyOf(ip) === "IPv6",
        ["hostAliases", i, "ip"],
        `${show(ip)} is IPv6, which filterAAAA never answers; leave one out`,
      ),
    ),
    ...Object.entries(zones).flatMap(([zone, { records = {}, templates = [] }]) => [
      ...Object.entries(records).flatMap(([name, { AAAA }]) =>
        when(filterAAAA && AAAA !== undefined, ["zones", zone, "records", name, "AAAA"], unanswered),
      ),
      ...templates.flatMap((each, i) =>
        when(filterAAAA && typeOf(each) === "AAAA", ["zones", zone, "templates", i], unanswered),
      ),
    ]),
    ...when(
      dns64 !== undefined && of("IPv4") !== undefined,
      ["dns64"],
      `is for pods without IPv4, and clusterDNS has ${of("IPv4")}; leave it out`,
    ),
    ...when(
      admission?.podDNSConfig?.options?.["no-aaaa"] === true && of("IPv6") !== undefined && of("IPv4") === undefined,
      ["admission", "podDNSConfig", "options", "no-aaaa"],
      `leaves pods without an address of anything: clusterDNS has only IPv6, ${of("IPv6")}; leave it out`,
    ),
  ];
}

const unanswered = "is what filterAAAA never answers; leave one out";
