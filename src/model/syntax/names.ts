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

const seconds: { readonly [unit: string]: number } = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };

/** A duration as Go's time.ParseDuration reads it, from one nanosecond to ten years: `30s`, `1h30m`. */
export function isDuration(text: string): boolean {
  if (!/^(\d{1,18}(\.\d{1,18})?(ns|us|ms|s|m|h))+$/.test(text)) return false;
  const parts = [...text.matchAll(/([\d.]+)([a-z]+)/g)];
  const sum = parts.reduce((all, [, count, unit = ""]) => all + Number(count) * (seconds[unit] ?? 0), 0);
  return sum >= 1e-9 && sum <= 10 * 365 * 24 * 3600;
}
