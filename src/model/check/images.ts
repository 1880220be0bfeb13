import { familyOf } from "../syntax/addresses";

// github.com/distribution/reference
const label = "[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?";
const host = `(${label}(\\.${label})*|\\[(?<ipv6>[0-9a-fA-F:]+)\\])(:(?<port>\\d{1,5}))?`;
const name = "[a-z0-9]+((\\.|__?|-+)[a-z0-9]+)*";
const repository = `${name}(/${name})*`;
const reference = new RegExp(
  `^(${host}/)?${repository}(?<tag>:[A-Za-z0-9_][-.A-Za-z0-9_]{0,127})?(?<digest>@sha256:[0-9a-f]{64})?$`,
);

const registryPattern = new RegExp(`^${host}(/${repository})?$`);

/** Why a text is no image that pins what runs, by a tag or a digest, and never `latest`; undefined if it is one. */
export function imageFault(image: string): string | undefined {
  const groups = matched(reference, image);
  if (!groups && /@sha256:(?![0-9a-f]{64}$)/.test(image))
    return "is not an image; accepted after @sha256: 64 hexadecimal digits, as the registry or `npm run image -- --push` prints them";
  if (!groups)
    return "is not an image; accepted: [REGISTRY/]NAME:TAG, [REGISTRY/]NAME@sha256:DIGEST or [REGISTRY/]NAME:TAG@sha256:DIGEST";
  if (!groups.tag && !groups.digest) return "names no version; add :TAG or @sha256:DIGEST";
  return groups.tag === ":latest" && !groups.digest
    ? "changes under the running pods; name a version or a digest"
    : undefined;
}

export function isRegistry(text: string): boolean {
  return matched(registryPattern, text) !== undefined;
}

/** The named groups of a pattern with a host; undefined also if an IPv6 host is not an address, or a port too high. */
function matched(pattern: RegExp, text: string): RegExpExecArray["groups"] {
  const groups = pattern.exec(text)?.groups;
  const { ipv6 = "::", port = "1" } = groups ?? {};
  return familyOf(ipv6) === "IPv6" && Number(port) >= 1 && Number(port) <= 65_535 ? groups : undefined;
}
