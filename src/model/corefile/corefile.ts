/** A CoreDNS configuration as a value: read by `parseCorefile`, printed by `renderCorefile`. */
export type Corefile<A = Argument> = readonly ServerBlock<A>[];

export interface ServerBlock<A = Argument> {
  /** What it answers. None: files that are imported beside the blocks. */
  readonly keys: readonly ServerKey[];
  readonly plugins: readonly Directive<A>[];
  /** Only of one that was read. */
  readonly at?: Position;
}

/** `tls://corp.example:853`. */
export interface ServerKey {
  /** `.`, `cluster.local`, `10.0.0.0/8`. */
  readonly zone: string;
  readonly port: number;
  readonly transport: Transport;
}

export type Transport = "dns" | "tls" | "quic" | "https" | "https3" | "grpc";

/** A plugin, or an option inside a plugin's braces. */
export interface Directive<A = Argument> {
  readonly name: string;
  readonly args: readonly A[];
  readonly options: readonly Directive<A>[];
  /** Only of one that was read. */
  readonly at?: Position;
}

/** Line and column in the text, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A Corefile as text says it: a variable is the text `{$NAME}`. */
export type WrittenCorefile = Corefile<string>;
export type WrittenBlock = ServerBlock<string>;
export type WrittenDirective = Directive<string>;

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
export function plugin(name: string, args: readonly Argument[] = [], options: readonly Directive[] = []): Directive {
  return { name, args, options };
}

/** Every block of ours logs what it cannot answer. @param view Which queries it is for; otherwise all. */
export function serverBlock(
  zones: readonly string[],
  plugins: readonly Directive[],
  { port = 53, view }: { readonly port?: number; readonly view?: Directive | undefined } = {},
): ServerBlock {
  return {
    keys: keysOf(zones, port),
    plugins: [...(view ? [view] : []), plugin("errors"), ...plugins],
  };
}

export function keysOf(zones: readonly string[], port = 53): ServerKey[] {
  return zones.map((zone) => ({ zone, port, transport: "dns" }));
}

/** The largest answer over UDP that passes every path unfragmented (DNS flag day 2020). */
export const bufsize = plugin("bufsize", [1232]);

/** The data of a zone's SOA record, with which caches keep that a name has no answer. @param origin `a.example.`, or empty for the root. */
export function startOfAuthority(origin: string, ttl: number): string {
  return `IN SOA ns.dns.${origin} hostmaster.${origin} 1 7200 1800 86400 ${ttl}`;
}
