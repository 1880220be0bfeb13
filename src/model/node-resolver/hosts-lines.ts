import { canonicalAddress, familyOf, type Family } from "../syntax/addresses";

/** The end of every line of ours in a hosts file; all other lines belong to others, whatever they say. */
export const marker = "# cluster-dns node-resolver";

/** The end of OpenShift's (cluster-dns-operator, update-node-resolver.sh), which puts its lines last. */
const openShiftMarker = "# openshift-generated-node-resolver";

/** In one family: addresses (none: no such record), no such name in any family, or nothing to be trusted. */
export type FamilyAnswer = readonly string[] | "NXDOMAIN" | "failed";

export interface ServiceAnswer {
  /** `image-registry.openshift-image-registry.svc` */
  readonly service: string;
  /** The same with the cluster domain. */
  readonly qualified: string;
  readonly answers: { readonly [family in Family]: FamilyAnswer };
}

/**
 * The hosts file with our lines updated from the answers. Other lines stay byte for byte, so `text` is the file's
 * bytes, one a character (latin1). Whatever has no answer stays: all lines of a service that did not resolve, and the
 * lines of a family that failed, or whose NXDOMAIN the other's addresses contradict: one CoreDNS pod may not yet know
 * what another does. Returns the same text if nothing changes, or if nothing resolved at all.
 */
export function updateHosts(text: string, services: readonly ServiceAnswer[]): string {
  if (!services.some(isResolved)) return text;
  const before = lines(text).flatMap((line) => ownLine(line) ?? []);
  const wanted = services.flatMap((service) => wantedLines(service, before));
  return replaceOwnLines(text, [...new Set(wanted)]);
}

export function removeOwnLines(text: string): string {
  return replaceOwnLines(text, []);
}

export function isResolved({ answers }: ServiceAnswer): boolean {
  return Object.values(answers).some((answer) => typeof answer !== "string" && answer.length > 0);
}

function wantedLines(service: ServiceAnswer, before: readonly OwnLine[]): string[] {
  const kept = (keep: (family: Family) => boolean) =>
    before.filter((line) => line.service === service.service && keep(line.family)).map(({ text }) => text);
  if (!isResolved(service)) return kept(() => true);
  return (["IPv4", "IPv6"] as const).flatMap((family) => {
    const answer = service.answers[family];
    // Sorted, whatever the order of the answer, so that a server rotating its records causes no write.
    if (typeof answer !== "string")
      return answer
        .map(canonicalAddress)
        .sort()
        .map((address) => `${address} ${service.service} ${service.qualified} ${marker}`);
    return kept((other) => other === family);
  });
}

interface OwnLine {
  readonly text: string;
  readonly family: Family;
  readonly service: string;
}

const ownLinePattern = new RegExp(`^(?<address>\\S+) (?<service>\\S+) \\S+ ${marker}$`);

/** A line of ours, without its line end; undefined for any other line, and for one of ours that was edited. */
function ownLine(line: string): OwnLine | undefined {
  if (!line.includes(marker)) return undefined;
  // A tool that converts line ends converts ours, too.
  const text = line.replace(/\r?\n?$/, "");
  const { address = "", service = "" } = ownLinePattern.exec(text)?.groups ?? {};
  const family = familyOf(address);
  return family && { text, family, service };
}

/**
 * Our lines keep their place, so that two writers that both want to be last do not move each other forever. New lines
 * go to the end, but before a last line without a newline, which stays last and gets none; and before OpenShift's,
 * because the first line of a name counts, and once we have replaced the file, its running writer does not reach it.
 */
function replaceOwnLines(text: string, wanted: readonly string[]): string {
  const all = lines(text);
  const own = all.flatMap((line) => ownLine(line) ?? []);
  if (own.length === wanted.length && own.every((line, i) => line.text === wanted[i])) return text;

  const first = all.findIndex((line) => ownLine(line));
  const openShifts = all.findIndex((line) => line.includes(openShiftMarker));
  const end = all.at(-1)?.endsWith("\n") === false ? all.length - 1 : all.length;
  const foreign = all.filter((line) => !ownLine(line));
  const place = [first, openShifts, end].find((index) => index >= 0);
  return foreign.toSpliced(place ?? end, 0, ...wanted.map((line) => `${line}\n`)).join("");
}

/** Lines with their line ends. */
function lines(text: string): string[] {
  const ended = text.split("\n");
  const last = ended.pop() ?? "";
  return [...ended.map((line) => `${line}\n`), ...(last === "" ? [] : [last])];
}
