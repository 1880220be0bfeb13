// Syntax of names, according to the API server and DNS (apimachinery util/validation).

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const qualifiedPart = "[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?";

/** RFC 1123 label: lower case letters, digits and `-`, at most 63. */
export function isDNSLabel(text: string): boolean {
  return text.length <= 63 && new RegExp(`^${label}$`).test(text);
}

/** IANA service name (RFC 6335), as a container's ports are named: an RFC 1123 label of at most 15, with a letter, without `--`. */
export function isPortName(text: string): boolean {
  return text.length <= 15 && isDNSLabel(text) && /[a-z]/.test(text) && !text.includes("--");
}

/** RFC 1123 subdomain: labels joined by dots, at most 253. */
export function isDNSSubdomain(text: string): boolean {
  return text.length <= 253 && new RegExp(`^${label}(\\.${label})*$`).test(text);
}

/** A DNS name as people write it: any case, underscores, an optional trailing dot. */
export function isDNSName(text: string): boolean {
  const name = text.replace(/\.$/, "");
  return (
    name.length <= 253 &&
    /^[A-Za-z0-9_]([-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?(\.[A-Za-z0-9_]([-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?)*$/.test(name)
  );
}

/** Leaves room for every Service: a name of 63 characters and a namespace of 63, each followed by a dot. */
export const longestServiceZone = 253 - 2 * 64;

/** `[prefix/]name`, as in keys of labels, annotations and taints. */
export function isQualifiedName(text: string): boolean {
  const [name = "", prefix, ...rest] = text.split("/").reverse();
  return (
    rest.length === 0 &&
    (prefix === undefined || isDNSSubdomain(prefix)) &&
    name.length <= 63 &&
    new RegExp(`^${qualifiedPart}$`).test(name)
  );
}

export function isLabelValue(text: string): boolean {
  return text.length <= 63 && new RegExp(`^(${qualifiedPart})?$`).test(text);
}

export const reverseZones = ["in-addr.arpa", "ip6.arpa"] as const;

/** One spelling for each DNS name, whatever its case and trailing dot. */
export function canonicalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/** The zones that a name in canonical spelling is in: `a.b`, `b` and `.`. */
export function upwards(name: string): string[] {
  const labels = name === "." ? [] : name.split(".");
  return [...labels.map((_, i) => labels.slice(i).join(".")), "."];
}

/** Whether a DNS name is a zone or below it, ignoring case and trailing dots; everything is in `.`. */
export function inZone(name: string, zone: string): boolean {
  return zone === "." || `.${canonicalName(name)}`.endsWith(`.${canonicalName(zone)}`);
}

/** `NAME.NAMESPACE.svc`, without the cluster domain. */
export function isServiceName(text: string): boolean {
  const [name = "", namespace = "", svc, ...rest] = text.split(".");
  return rest.length === 0 && svc === "svc" && isDNSLabel(name) && isDNSLabel(namespace);
}
