import { plugin, type Directive } from "./corefile";

/**
 * Names outside the cluster domain that the cluster's DNS answers from what it knows, without a server outside. One that is
 * not there any more was deleted: no expired answer must take the place of that. As in DNS: lower case, without a dot at
 * their ends.
 */
export interface AnsweredNames {
  readonly names: readonly string[];
  /** All names below these. */
  readonly zones: readonly string[];
  /** Of the names below zones, those that others answer. */
  readonly except: Pick<AnsweredNames, "names" | "zones">;
}

/**
 * Which queries are for them, over UDP: over TCP, no name outside is cached. Tables are strings to search: an expression
 * is limited to 10,000 parts.
 */
export function ofAnswered({ names, zones, except }: AnsweredNames): Directive {
  const below = all(isBelow(zones), not(isAmong(except.names)), not(isBelow(except.zones)));
  const isAnswered = [isAmong(names), below].filter((each) => each !== undefined).join(" || ");
  const labels = zones.length > 0 ? "let labels = split(name(), '.'); " : "";
  return plugin("view", ["answered"], [plugin("expr", [`${labels}proto() == 'udp' && (${isAnswered})`])]);
}

function isAmong(names: readonly string[]): string | undefined {
  return names.length > 0 ? `${table(names)} contains ' ' + name() + ' '` : undefined;
}

function isBelow(zones: readonly string[]): string | undefined {
  if (zones.length === 0) return undefined;
  return `any(1..len(labels) - 1, ${table(zones)} contains ' ' + join(labels[#:], '.') + ' ')`;
}

/** Undefined if the first is. */
function all(first: string | undefined, ...more: readonly (string | undefined)[]): string | undefined {
  return first && [first, ...more.filter((each) => each !== undefined)].join(" && ");
}

function not(condition: string | undefined): string | undefined {
  return condition && `!(${condition})`;
}

function table(names: readonly string[]): string {
  return `' ${names.map((name) => `${name}. `).join("")}'`;
}
