import type { ClusterDnsProps } from "../props/cluster-dns";
import type { QueryLog } from "../props/query-log";

export function isOver({ until }: QueryLog, today: string | undefined): boolean {
  return until !== undefined && today !== undefined && until < today;
}

const day = 24 * 60 * 60 * 1000;

export function queryLogNote({ queryLog }: ClusterDnsProps, today: string | undefined): string | undefined {
  if (queryLog?.until === undefined || today === undefined) return undefined;
  const { until } = queryLog;
  if (isOver(queryLog, today))
    return `queryLog ended on ${until}: what is rendered now logs nothing; leave it out, or set a later day`;
  const days = Math.round((Date.parse(until) - Date.parse(today)) / day);
  if (days > 7) return undefined;
  return `queryLog ends on ${until}, ${days === 0 ? "today" : `in ${days} day${days === 1 ? "" : "s"}`}: what is rendered later logs nothing, so synth changes its output, and applying that replaces pods`;
}
