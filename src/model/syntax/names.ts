// Syntax of names, as the API server and DNS have it (apimachinery util/validation).

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const qualifiedPart = "[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?";

/** RFC 1123 label: lower case letters, digits and `-`, at most 63. */
export function isDNSLabel(text: string): boolean {
  return text.length <= 63 && new RegExp(`^${label}$`).test(text);
}

/** RFC 1123 subdomain: labels joined by dots, at most 253. */
export function isDNSSubdomain(text: string): boolean {
  return text.length <= 253 && new RegExp(`^${label}(\\.${label})*$`).test(text);
}

/** A name in DNS as people use them: any case, underscores, an optional final dot. */
export function isDNSName(text: string): boolean {
  const name = text.replace(/\.$/, "");
  return (
    name.length <= 253 &&
    /^[A-Za-z0-9_]([-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?(\.[A-Za-z0-9_]([-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?)*$/.test(name)
  );
}

/** The longest zone in which every Service has a name: one of 63 characters, in a namespace of 63, with a dot after each. */
export const longestServiceZone = 253 - 2 * 64;

/** `[prefix/]name`, as keys of labels, annotations and taints. */
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

/** One spelling for each DNS name, whatever its case and final dot. */
export function canonicalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/** Whether a DNS name is a zone or below it, whatever their case and final dots; everything is in `.`. */
export function inZone(name: string, zone: string): boolean {
  return zone === "." || `.${canonicalName(name)}`.endsWith(`.${canonicalName(zone)}`);
}

/** The zones that a DNS name is in, in their canonical spelling: itself, then each one above. */
export function zonesOf(name: string): string[] {
  const labels = canonicalName(name).split(".");
  return labels.map((_, i) => labels.slice(i).join("."));
}
