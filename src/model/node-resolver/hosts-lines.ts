import { canonicalAddress, familyOf, type Family } from "../syntax/addresses";

/** The end of every line in a hosts file that is ours; all others are somebody else's, whatever is in them. */
export const marker = "# cluster-dns node-resolver";

/** What DNS said of a service in one family: its addresses (none: the name has no record of it), or that there was no answer to trust. */
export type FamilyAnswer = readonly string[] | "failed";

export interface ServiceAnswer {
  /** `image-registry.openshift-image-registry.svc` */
  readonly service: string;
  /** The same with the cluster domain. */
  readonly qualified: string;
  readonly answers: { readonly [family in Family]: FamilyAnswer };
}

/**
 * The hosts file with our lines as the answers want them. Foreign lines stay byte for byte, so `text` is the file's bytes, one a
 * character (latin1). What has no answer stays as it was: the lines of a service that did not resolve, and, of one that did, those
 * of a family that failed. The same text comes back when nothing changes, or nothing resolved at all.
 */
export function updateHosts(text: string, services: readonly ServiceAnswer[]): string {
  if (!services.some(isResolved)) return text;
  const before = lines(text).flatMap((line) => ownLine(line) ?? []);
  const wanted = services.flatMap((service) => wantedLines(service, before));
  return replaceOwnLines(text, [...new Set(wanted)]);
}

/** The hosts file as it would be without us. */
export function removeOwnLines(text: string): string {
  return replaceOwnLines(text, []);
}

/** Whether a service has an address at all. */
export function isResolved({ answers }: ServiceAnswer): boolean {
  return Object.values(answers).some((answer) => answer !== "failed" && answer.length > 0);
}

function wantedLines(service: ServiceAnswer, before: readonly OwnLine[]): string[] {
  const kept = (keep: (family: Family) => boolean) =>
    before.filter((line) => line.service === service.service && keep(line.family)).map(({ text }) => text);
  if (!isResolved(service)) return kept(() => true);
  return (["IPv4", "IPv6"] as const).flatMap((family) => {
    const answer = service.answers[family];
    // In one order, whatever the order of the answer: nothing is written because a server rotates its records.
    if (answer !== "failed")
      return answer
        .map(canonicalAddress)
        .sort()
        .map((address) => formatLine(address, service));
    return kept((other) => other === family);
  });
}

function formatLine(address: string, { service, qualified }: ServiceAnswer): string {
  return `${address} ${service} ${qualified} ${marker}`;
}

interface OwnLine {
  readonly text: string;
  readonly family: Family;
  readonly service: string;
}

const ownLinePattern = new RegExp(`^(?<address>\\S+) (?<service>\\S+) \\S+ ${marker}$`);

/** A line of ours, without its end; undefined for any other, also for one of ours that somebody edited. */
function ownLine(line: string): OwnLine | undefined {
  if (!line.includes(marker)) return undefined;
  // A tool that converts line ends converts ours, too.
  const text = line.replace(/\r?\n?$/, "");
  const { address = "", service = "" } = ownLinePattern.exec(text)?.groups ?? {};
  const family = familyOf(address);
  return family && { text, family, service };
}

/**
 * Our lines stay where they are, so that two writers that both want to be last come to an end. New ones go to the end, but before a
 * last line that has no newline: it stays the last line, and gets none.
 */
function replaceOwnLines(text: string, wanted: readonly string[]): string {
  const all = lines(text);
  const own = all.flatMap((line) => ownLine(line) ?? []);
  if (own.length === wanted.length && own.every((line, i) => line.text === wanted[i])) return text;

  const first = all.findIndex((line) => ownLine(line));
  const end = all.at(-1)?.endsWith("\n") === false ? all.length - 1 : all.length;
  const foreign = all.filter((line) => !ownLine(line));
  return foreign.toSpliced(first < 0 ? end : first, 0, ...wanted.map((line) => `${line}\n`)).join("");
}

/** Lines with their ends. */
function lines(text: string): string[] {
  const ended = text.split("\n");
  const last = ended.pop() ?? "";
  return [...ended.map((line) => `${line}\n`), ...(last === "" ? [] : [last])];
}
