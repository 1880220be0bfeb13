import { familyOf, familyOfCIDR } from "../syntax/addresses";
import { isDay } from "../syntax/day";
import { parseDuration } from "../syntax/duration";
import { canonicalName, isDNSLabel, isDNSName, isDNSSubdomain, isQualifiedName, isServiceName } from "../syntax/names";
import type { Problem } from "../syntax/problem";
import { respelt } from "../syntax/respelt";
import { show } from "../syntax/show";
import { imageFault, isRegistry } from "./images";
import { collectorIn } from "./query-log";
import { about } from "./report";
import { type Found, valuesOf } from "./values-of";

/**
 * What is wrong with the texts of a description that have a type of src/model/props/values.ts.
 * @param shown How messages show them.
 */
export function valueRules(description: object, shown: (text: string) => string = show): Problem[] {
  return Object.entries(faults).flatMap(([type, faultOf]) =>
    valuesOf(type, description).flatMap((found) => {
      const fault = faultOf(found);
      const named = withLines.includes(type) ? "" : `${shown(found.value)} `;
      if (fault === undefined) return [];
      const instead = respelt(found.value, (value) => faultOf({ ...found, value }) === undefined);
      return about(found.path).say(`${named}${fault}${instead}`);
    }),
  );
}

/** Types of texts of several lines. */
export const withLines: readonly string[] = ["ZoneFile", "CorefileText", "Certificates"];

/** Undefined if it is one. A `Server` is checked where it is asked, `CorefileText` with the Corefile that it is in. */
export const faults: { readonly [type: string]: (found: Found<string>) => string | undefined } = {
  Duration: durationFault,
  Image: ({ value }) => imageFault(value),
  Registry: unless(isRegistry, "a registry", "HOST[:PORT][/PATH], without a scheme or a final /"),
  NamespaceName: unless(isDNSLabel, "the name of a namespace", "lower case letters, digits and -, at most 63"),
  ServiceLabel: unless(isDNSLabel, "the name of a Service or a port", "lower case letters, digits and -, at most 63"),
  ObjectName: unless(isDNSSubdomain, "the name of an object", "lower case letters, digits, - and ."),
  // Those of an identity provider may hold spaces.
  UserName: unless(
    (text) => /^\S(.*\S)?$/.test(text),
    "a user or group",
    "its name in the API server, such as system:serviceaccount:NAMESPACE:NAME",
  ),
  Revision: unless((text) => /^\S+$/.test(text), "a branch, tag or commit", "its name"),
  DNSName: ({ value }) =>
    isDNSName(value)
      ? undefined
      : `is not a DNS name; accepted: a name such as corp.example${value.startsWith("*.") ? '; for all names below, write a zone into zones, with records of "*"' : ""}`,
  ServiceName: unless(isServiceName, "a Service", "NAME.NAMESPACE.svc, without the cluster domain"),
  Address: unless((text) => familyOf(text) !== undefined, "an IP address", "IPv4 (10.96.0.10) or IPv6 (fd00:96::a)"),
  CIDR: unless((text) => familyOfCIDR(text) !== undefined, "a CIDR", "10.96.0.0/16, fd00:96::/112 ..."),
  Day: unless(isDay, "a day", "2026-12-24"),
  ZoneName: unless((text) => text === "." || isDNSName(text), "a zone", "a name such as corp.example, or ."),
  LowerCaseName: unless(
    (text) => isDNSSubdomain(text.replace(/\.$/, "")) && isDNSName(text),
    "a DNS name",
    "lower case labels of at most 63 characters, joined by dots",
  ),
  TopLevelDomain: unless((text) => isDNSLabel(canonicalName(text)), "a top-level domain", "one label, such as com"),
  Collector: unless(
    (text) => collectorIn(text)?.port !== undefined,
    "an endpoint",
    "tcp://IP:PORT or tls://IP:PORT (a name would need DNS first)",
  ),
  IPv4Address: unless((text) => familyOf(text) === "IPv4", "an IPv4 address", "10.1.2.3"),
  IPv6Address: unless((text) => familyOf(text) === "IPv6", "an IPv6 address", "fd00::a"),
  NAT64Prefix: unless(
    (text) => familyOfCIDR(text) === "IPv6" && ["32", "40", "48", "56", "64", "96"].includes(text.split("/")[1] ?? ""),
    "a prefix of NAT64",
    "64:ff9b::/96, or an IPv6 prefix of 32, 40, 48, 56, 64 or 96 bits (RFC 6052)",
  ),
  TextRecord: unless((text) => /^[\x20-\x7e]{1,4000}$/.test(text), "a text", "1 to 4000 printable characters of ASCII"),
  MailExchanger: unless(isNameAfter(1), "an MX record", "priority and name, such as 10 mail"),
  ServiceRecord: unless(isNameAfter(3), "an SRV record", "priority, weight, port and name, such as 0 100 5060 sip"),
  WholeName: unless(
    (text) => isDNSName(text) && text.endsWith("."),
    "a whole name",
    "a name with a dot at its end, without which it is one of the reverse zone",
  ),
  ZoneFile: ({ value }) => zoneFileFault(value),
  Certificates: ({ value }) =>
    areCertificates(value)
      ? undefined
      : "holds no whole certificate, or other text; accepted: one or more blocks of -----BEGIN CERTIFICATE-----, and nothing else",
  LabelKey: unless(isQualifiedName, "a label key", "[PREFIX/]NAME"),
  Release: unless((text) => /^\d+\.\d+\.\d+$/.test(text), "a release", 'three numbers, such as "1.17.3"'),
  RepositoryFolder: unless(isPathInside, "a folder of the repository", "a path relative to its root, without .."),
  APIServerURL: unless(
    (text) => /^https?:\/\/[^\s/*@]+(\/\S*)?$/.test(text) && URL.canParse(text),
    "an API server",
    "https://HOST:PORT",
  ),
  // Prometheus expands what is in double braces, and Flux what follows $.
  PageURL: unless(
    (text) => /^https?:\/\/[^\s{}$?#/][^\s{}$?#]*$/.test(text) && URL.canParse(text),
    "a URL that a page's name can follow",
    "https://HOST/PATH",
  ),
};

function unless(isValid: (value: string) => boolean, what: string, accepted: string) {
  return ({ value }: Found<string>) => (isValid(value) ? undefined : `is not ${what}; accepted: ${accepted}`);
}

/** Durations in Go's syntax, each in the range of its key; without one, whatever CoreDNS accepts. */
function durationFault(found: Found<string>): string | undefined {
  const { value, formatMinimum: least, formatMaximum: most, orFalse } = found;
  const duration = parseDuration(value);
  const range = most === undefined ? "" : `${least} to ${most}`;
  const instead = orFalse ? ", or false" : "";
  if (duration === undefined)
    return `is not a duration; accepted: 600ms, 30s, 1h30m ...${range === "" ? "" : `, ${range}`}${instead}`;
  const isOutside = duration < (parseDuration(least ?? "") ?? 0) || duration > (parseDuration(most ?? "") ?? Infinity);
  return isOutside ? `is out of range; accepted: ${range}${instead}` : undefined;
}

function isNameAfter(numbers: number): (text: string) => boolean {
  return (text) => {
    const [target = "", ...rest] = text.split(" ").toReversed();
    const isNumber = (n: string) => /^\d{1,5}$/.test(n) && Number(n) < 65_536;
    // `.` says that there is no such server (RFC 2782, RFC 7505).
    return rest.length === numbers && rest.every(isNumber) && (target === "." || isDNSName(target));
  };
}

function zoneFileFault(text: string): string | undefined {
  if (/^\S+$/.test(text)) return "is the name of a file; accepted: the text in it, after file: |";
  if (!/\sSOA\s/i.test(text.replace(/;.*/g, ""))) return "has no SOA record, without which CoreDNS does not start";
  return /^\s*\$INCLUDE/im.test(text) ? "includes a file, which the pods do not have" : undefined;
}

/** Nothing but certificates, with or without empty lines between. */
function areCertificates(text: string): boolean {
  const block = /-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/\n]+={0,2})\n-----END CERTIFICATE-----\n*/y;
  let end = 0;
  for (; end < text.length; end = block.lastIndex) {
    const [, base64] = block.exec(text) ?? [];
    if (base64 === undefined || !isWhole(base64)) return false;
  }
  return end > 0;
}

/** Whether a sequence of DER is as long as it says (X.690, 8.1.3): CoreDNS passes over a certificate that was cut off. */
function isWhole(base64: string): boolean {
  const digits = base64.replaceAll(/[\n=]/g, "");
  const [tag, short = 0, ...more] = Array.from(atob(digits.slice(0, 8).padEnd(8, "A")), (one) => one.charCodeAt(0));
  const long = more.slice(0, short < 0x80 ? 0 : short - 0x80);
  const size = short < 0x80 ? short : long.reduce((sum, byte) => sum * 256 + byte, 0);
  return tag === 0x30 && 2 + long.length + size === Math.floor((digits.length * 3) / 4);
}

function isPathInside(folder: string): boolean {
  return folder !== "" && !folder.startsWith("/") && !folder.split("/").includes("..");
}
