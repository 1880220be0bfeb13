/** A CoreDNS configuration as a value: server blocks of directives. Only `renderCorefile` renders it. */
export type Corefile = readonly ServerBlock[];

export interface ServerBlock {
  /** Zones it answers, without port: `.`, `cluster.local`. */
  readonly zones: readonly string[];
  /** @default [53] */
  readonly ports?: readonly number[];
  readonly plugins: readonly Directive[];
}

/** A plugin, or an option inside a plugin's braces. */
export interface Directive {
  readonly name: string;
  readonly args: readonly Argument[];
  readonly options?: readonly Directive[];
}

/** An argument of a directive: text, or text with environment variables that CoreDNS fills in. */
export type Argument = string | number | Variable | readonly (string | Variable)[];

/** `{$NAME}`. */
export interface Variable {
  readonly variable: string;
}

export function variable(name: string): Variable {
  return { variable: name };
}

/** `plugin("forward", [".", "1.1.1.1"], [plugin("policy", ["sequential"])])`. */
export function plugin(name: string, args: readonly Argument[] = [], options?: readonly Directive[]): Directive {
  return options && options.length > 0 ? { name, args, options } : { name, args };
}

/** The largest answer over UDP that passes every path unfragmented (DNS flag day 2020). */
export const bufsize = plugin("bufsize", [1232]);
