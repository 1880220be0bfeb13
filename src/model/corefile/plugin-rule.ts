import type { Kind } from "./argument-kinds";

/** What is known of a plugin of CoreDNS, and whose it is in a Corefile of ours. */
export interface PluginRule {
  /** `addition`: any block may have it. `block`: only one that an addition brings. `refused`: none may. */
  readonly whose: "addition" | "block" | "refused";
  /** Of `block`: the keys that say the same in blocks of ours, if any. Of `refused`: why none may have it. */
  readonly instead?: string;
  /** Of `addition`: the key that says the same; blocks of ours have one of the two. */
  readonly key?: "dns64" | "dnstap" | "filterAAAA" | "queryLog";
  /** An argument, from 0, and its word, without which it says something else than `key`. */
  readonly keyNeeds?: readonly [at: number, word: string];
  readonly args: Arguments;
  readonly options: { readonly [name: string]: Arguments };
  /** Whether a block may have it more than once. */
  readonly repeats?: true;
  /** Whether CoreDNS refuses a Corefile with two in a block (`plugin.ErrOnce`): of others without `repeats`, one counts. */
  readonly once?: true;
  /** Whether it takes the place of ours, which says nothing but its name. */
  readonly replaces?: true;
  /** From this argument on, zones whose names it answers or changes; none: its block's. Without it, none changes. */
  readonly answersFrom?: number;
  /** A file that it reads if it has this argument, from 0, or the option. */
  readonly readsFile?: number | string;
  /** Whether CoreDNS passes its options over if it has an argument. */
  readonly argsOrOptions?: true;
  /** The words that stand before a regular expression. */
  readonly beforeExpression?: readonly (readonly string[])[];
  /** How a rule finds this part of a query, if it says so. */
  readonly matches?: { readonly part: string; readonly accepted: readonly string[] };
  /** Whether an option may also be an address with its names. */
  readonly hasEntries?: true;
  /** Whether its first argument is a zone, and the others are servers that it asks. */
  readonly asksServers?: true;
  /** Another plugin, without which in its block it does not start. */
  readonly needs?: string;
  /** Whether it asks the API server, which the pods of the cache may not. */
  readonly asksApi?: true;
  /** What it turns off. */
  readonly note?: string;
  /** An option whose value nobody else may know. */
  readonly secret?: string;
  /** Whether what it does depends on the client's address, which a node cache hides from CoreDNS. */
  readonly asksWho?: true;
}

/** The fewest and the most arguments, and what they must be: the last kind is also of those after it. */
export type Arguments = readonly [least: number, most: number, ...kinds: readonly Kind[]];

type Facts = Omit<PluginRule, "whose" | "args" | "options"> & Partial<Pick<PluginRule, "args" | "options">>;

export function addition(args: Arguments, facts: Facts = {}): PluginRule {
  return { whose: "addition", args, options: {}, ...facts };
}

export function ofBlock(args: Arguments, facts: Facts = {}): PluginRule {
  return { whose: "block", args, options: {}, ...facts };
}

export function refused(instead: string, facts: Facts = {}): PluginRule {
  return { whose: "refused", instead, args: [0, Infinity], options: {}, ...facts };
}
