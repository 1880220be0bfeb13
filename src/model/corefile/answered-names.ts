import { plugin, type Directive } from "./corefile";

/**
 * Names outside the cluster domain that the cluster's DNS answers from what it knows, without a server outside. One that is
 * not there any more was deleted: no expired answer must take the place of that.
 */
export interface AnsweredNames {
  /** As in DNS: lower case, without a dot at their ends. */
  readonly names: readonly string[];
  /** All names below these. */
  readonly zones: readonly string[];
}

/** Which queries are for them, over UDP: over TCP, no name outside is cached. */
export function ofAnswered({ names, zones }: AnsweredNames): Directive {
  const isAmong = names.length > 0 ? [`name() in [${names.map((name) => `'${name}.'`).join(", ")}]`] : [];
  const isBelow = zones.map((zone) => `name() endsWith '.${zone}.'`);
  const expression = `proto() == 'udp' && (${[...isAmong, ...isBelow].join(" || ")})`;
  return plugin("view", ["answered"], [plugin("expr", [expression])]);
}
