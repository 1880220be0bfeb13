import type { Dnstap, QueryLog } from "../props/query-log";
import { plugin, type Corefile, type Directive } from "./corefile";
import { isForOurselves } from "./search-path";

export interface Observation {
  readonly queryLog: QueryLog | undefined;
  readonly dnstap: Dnstap | undefined;
}

/** Its blocks tell of queries, but for those to ourselves. @param ownZone What only we ask. */
export function observed(corefile: Corefile, observation: Observation | undefined, ownZone?: string): Corefile {
  const { queryLog, dnstap } = observation ?? {};
  const tapped = dnstap ? [plugin("dnstap", [dnstap.endpoint, ...(dnstap.full ? ["full"] : [])])] : [];
  const added = [...log(queryLog), ...tapped];
  if (added.length === 0) return corefile;
  return corefile.map((block) => {
    if (isForOurselves(block) || block.keys.some(({ zone, port }) => zone === ownZone || port !== 53)) return block;
    const has = new Set(block.plugins.map(({ name }) => name));
    return { ...block, plugins: [...block.plugins, ...added.filter(({ name }) => !has.has(name))] };
  });
}

function log(queryLog: QueryLog | undefined): Directive[] {
  if (!queryLog) return [];
  const { zones = ["."], classes = [] } = queryLog;
  return [plugin("log", zones, classes.length > 0 ? [plugin("class", classes)] : [])];
}
