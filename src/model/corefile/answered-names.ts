import { plugin, type Directive } from "./corefile";

/**
 * Names outside the cluster domain that the cluster's DNS answers from what it knows, without a server outside. One that is
 * not there any more was deleted: no expired answer must take the place of that. As in DNS: lower case, without a dot at
 * their ends.
 */
export interface AnsweredNames {
  readonly names: readonly string[];
  /** All names below these, but for those that a longer one of `except` has. */
  readonly zones: readonly string[];
  /** Regular expressions, for names that end in a dot. */
  readonly expressions: readonly string[];
  /** Of the names below zones, those that others answer. */
  readonly except: { readonly names: readonly string[]; readonly zones: readonly string[] };
}

/**
 * Which queries are for them, over UDP: over TCP, no name outside is cached. An expression has at most 10,000 parts, and
 * one for each name of a list; a Corefile with as many does not fit into a ConfigMap.
 */
export function ofAnswered({ names, zones, expressions, except }: AnsweredNames): Directive {
  const isOther = except.names.length > 0 ? `!(${isAmong(except.names)}) && ` : "";
  const isAnswered = [
    ...(names.length > 0 ? [isAmong(names)] : []),
    ...(zones.length > 0 ? [`${isOther}${isAmong(zones, "zone")}`] : []),
    ...(expressions.length > 0 ? [`name() matches ${text(expressions.map(alternative).join("|"))}`] : []),
  ].join(" || ");
  const longest = zones.length > 0 ? longestZone([...zones, ...except.zones]) : "";
  return plugin("view", ["answered"], [plugin("expr", [`${longest}proto() == 'udp' && (${isAnswered})`])]);
}

/** The longest that the name is below, or nothing. A name has up to 127 labels: as many as the deepest zone are looked at. */
function longestZone(zones: readonly string[]): string {
  const deepest = Math.max(...zones.map((zone) => zone.split(".").length));
  const isOne = isAmong(zones, "join(labels[#:], '.')");
  return `let labels = split(name(), '.'); let at = find(max(1, len(labels) - ${deepest + 1})..len(labels) - 1, ${isOne}) ?? len(labels); let zone = join(labels[at:], '.'); `;
}

function isAmong(names: readonly string[], what = "name()"): string {
  return `${what} in [${names.map((name) => text(`${name}.`)).join(", ")}]`;
}

/** A name for a group may be there once. */
function alternative(expression: string): string {
  return `(?:${expression.replace(/\(\?P?<\w+>/g, "(")})`;
}

function text(value: string): string {
  return `'${value.replace(/[\\']/g, String.raw`\$&`)}'`;
}
