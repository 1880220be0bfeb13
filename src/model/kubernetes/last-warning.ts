import type { Event } from "./kinds";

/** The last of an object's warnings, as one sentence. @param since Of an earlier object of the same name, some may be left. */
export function lastWarning(
  events: readonly Event[],
  isAbout: (kind: string | undefined, name: string, reason: string | undefined) => boolean,
  since = "",
): string | undefined {
  const timeOf = ({ lastTimestamp, eventTime, metadata }: Event) =>
    lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? "";
  const last = events
    .filter(({ involvedObject: { kind, name = "" }, reason }) => isAbout(kind, name, reason))
    .filter((event) => timeOf(event) >= since)
    .toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))
    .at(-1);
  return last && `${last.reason}: ${last.message?.slice(0, 500) ?? ""}`;
}
