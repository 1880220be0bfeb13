import { familyOf, familyOfCIDR } from "../syntax/addresses";
import { isDay } from "../syntax/day";
import { parseDuration } from "../syntax/duration";
import { isDNSLabel, isDNSName, isDNSSubdomain } from "../syntax/names";
import type { Problem } from "../syntax/problem";
import { isServiceName } from "../syntax/service-name";
import { show } from "../syntax/show";
import { imageFault, isRegistry } from "./images";
import { problem } from "./report";
import { type Found, valuesOf } from "./values-of";

/** What is wrong with the texts of a description that have a type of src/model/props/values.ts. */
export function valueRules(description: object): Problem[] {
  return Object.entries(faults).flatMap(([type, faultOf]) =>
    valuesOf(type, description).flatMap((found) => {
      const fault = faultOf(found);
      return fault === undefined ? [] : [problem(found.path, `${show(found.value)} ${fault}`)];
    }),
  );
}

/** Why a value is none of the type; undefined if it is one. A `Server` is checked where it is asked. */
export const faults: { readonly [type: string]: (found: Found<string>) => string | undefined } = {
  Duration: durationFault,
  Image: ({ value }) => imageFault(value),
  Registry: unless(isRegistry, "a registry", "HOST[:PORT][/PATH], without a scheme or a final /"),
  NamespaceName: unless(isDNSLabel, "the name of a namespace", "lower case letters, digits and -, at most 63"),
  ServiceLabel: unless(isDNSLabel, "the name of a Service or a port", "lower case letters, digits and -, at most 63"),
  ObjectName: unless(isDNSSubdomain, "the name of an object", "lower case letters, digits, - and ."),
  UserName: unless(
    isWord,
    "a user or group",
    "its name in the API server, such as system:serviceaccount:NAMESPACE:NAME",
  ),
  Revision: unless(isWord, "a branch, tag or commit", "its name"),
  DNSName: unless(isDNSName, "a DNS name", "a name such as corp.example"),
  ServiceName: unless(isServiceName, "a Service", "NAME.NAMESPACE.svc, without the cluster domain"),
  Address: unless((text) => familyOf(text) !== undefined, "an IP address", "IPv4 (10.96.0.10) or IPv6 (fd00:96::a)"),
  CIDR: unless((text) => familyOfCIDR(text) !== undefined, "a CIDR", "10.96.0.0/16, fd00:96::/112 ..."),
  Day: unless(isDay, "a day", "2026-12-24"),
};

function unless(isValid: (value: string) => boolean, what: string, accepted: string) {
  return ({ value }: Found<string>) => (isValid(value) ? undefined : `is not ${what}; accepted: ${accepted}`);
}

/** Durations in Go's syntax, each in the range of its key; without one, whatever CoreDNS accepts. */
function durationFault({
  value,
  formatMinimum: least,
  formatMaximum: most,
  orFalse,
}: Found<string>): string | undefined {
  const duration = parseDuration(value);
  const range = most === undefined ? "" : `${least} to ${most}`;
  const instead = orFalse ? ", or false" : "";
  if (duration === undefined)
    return `is not a duration; accepted: 600ms, 30s, 1h30m ...${range === "" ? "" : `, ${range}`}${instead}`;
  const isOutside = duration < (parseDuration(least ?? "") ?? 0) || duration > (parseDuration(most ?? "") ?? Infinity);
  return isOutside ? `is out of range; accepted: ${range}${instead}` : undefined;
}

function isWord(text: string): boolean {
  return /^\S+$/.test(text);
}
