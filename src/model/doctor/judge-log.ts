import { readySince } from "../kubernetes/pods";
import { isText } from "../kubernetes/shapes";
import type { Patient } from "./patient";
import type { Complained, LogFacts } from "../running/log-facts";
import { grouped } from "../syntax/grouped";
import { parseJSON } from "../syntax/json";
import { isMapping } from "../syntax/mapping";
import { failedQuery, knownComplaints } from "./complaints";
import { whyEnded } from "./why-ended";

/** @param container What follows `kubectl logs -c`: `coredns`, `coredns --previous`. */
export type JudgeLog = (pod: string, container: string, log: string) => LogFacts;

/** Judges the logs of a cluster whose objects were read. */
export function judgeOfLogs(patient: Patient): JudgeLog {
  const known = knownComplaints(patient);
  const readyTimes = new Map(patient.systemPods.map((pod) => [pod.metadata.name, readySince(pod)]));
  return (pod, container, log) => {
    const lines = log.split("\n").flatMap((line) => (line === "" ? [] : [lineOf(line)]));
    const since = readyTimes.get(pod);
    // Each line once, by the first that knows it: the cause of the others.
    const complaintOf = ({ text, time }: Line) => {
      const said = withoutQuery(text);
      const place = known.findIndex(
        ({ pattern, of = "", isAbout }) =>
          pod.startsWith(of) && pattern.test(said) && (!isAbout || isAbout(nameIn(text) ?? "")),
      );
      const complaint = known[place];
      const isMended = container.endsWith(" --previous")
        ? complaint?.ends !== true
        : complaint?.untilReady === true && time !== undefined && since !== undefined && time < since;
      return isMended ? -1 : place;
    };
    return {
      lines: lines.length,
      whyEnded: whyEnded(lines.map(({ text }) => text))?.slice(0, mostText),
      complaints: grouped(lines, complaintOf).flatMap(([place, same]) => (place < 0 ? [] : [complained(place, same)])),
      ...ofWatchdog(lines),
    };
  };
}

/** A line of a container's log, and when the kubelet got it, in milliseconds. */
interface Line {
  readonly time: number | undefined;
  readonly text: string;
}

const mostText = 400;

function lineOf(line: string): Line {
  const [, time, text = ""] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*) ?(.*)$/.exec(line) ?? [];
  const at = Date.parse(time ?? "");
  return { time: Number.isNaN(at) ? undefined : at, text: time === undefined ? line : text };
}

function complained(complaint: number, lines: readonly [Line, ...Line[]]): Complained {
  const { text, time } = lastOf(lines);
  const since = lines[0].time;
  return { complaint, count: lines.length, text: text.trim().slice(0, mostText), time, since, name: onlyName(lines) };
}

/** The latest, or the last if they do not say when. */
export function lastOf<T extends { readonly time?: number | undefined }>([first, ...others]: readonly [T, ...T[]]): T {
  return others.reduce((last, each) => ((each.time ?? Infinity) < (last.time ?? -Infinity) ? last : each), first);
}

/** Without the name in a query, which any pod may choose: a name may read like a complaint. */
function withoutQuery(line: string): string {
  // Queries as plugin `log` writes them.
  if (/^\[INFO\] (?!plugin\/)/.test(line)) return "";
  return line.replace(failedQuery, "$1");
}

/** The name in a query that failed. */
function nameIn(line: string): string | undefined {
  return failedQuery.exec(line)?.[2]?.toLowerCase();
}

/** Time-outs for one name alone may be of its own servers; the root's is what health checks ask for. */
function onlyName(lines: readonly Line[]): string | undefined {
  const [name, ...more] = new Set(lines.map(({ text }) => nameIn(text)));
  return more.length === 0 &&
    name !== "." &&
    lines.every(({ text }) => text.includes("i/o timeout") && !text.includes(" HINFO: "))
    ? name
    : undefined;
}

/** A watchdog's lines are JSON. */
function ofWatchdog(lines: readonly Line[]): Pick<LogFacts, "repaired" | "warning"> {
  const logged = lines.flatMap(({ text }) => {
    const line = text.startsWith("{") ? parseJSON(text) : undefined;
    return isMapping(line) ? [line] : [];
  });
  const last = logged.findLast(
    ({ level, msg }) => msg !== undefined && (level === "warn" || level === "error" || Number(level) >= 40),
  );
  return {
    repaired: [...new Set(logged.map(({ kind }) => kind).filter(isText))],
    warning: last && String(last["msg"]),
  };
}
