import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  Parser,
  Scalar,
  visit,
  type YAMLError,
} from "yaml";
import type { Problem } from "../model/syntax/problem";
import type { LocatedProblem } from "./located-problem";

/** A YAML file as a value, and the way back from a path in the value to a place in the file. */
export interface YamlFile {
  readonly file: string;
  readonly fatal: false;
  readonly value: unknown;
  /** What is wrong although the file has a value (a key that is there twice). */
  readonly problems: readonly LocatedProblem[];
  /** The place of a value or a key; of what would hold it where it is not in the file. */
  positionOf(path: Problem["path"], at: Problem["at"]): { line: number; column: number };
  /** The scalar without quotes that is at a path, with its text as the file has it. */
  plainScalarAt(path: Problem["path"]): { readonly value: unknown; readonly source: string } | undefined;
}

/** A file that has no value: not YAML, or more than a cluster file may use of it. */
export interface UnreadableYaml {
  readonly fatal: true;
  readonly problems: readonly LocatedProblem[];
}

/** More than any cluster file has; the parser recurses and would take the process down at some thousands. */
const maxDepth = 100;

const maxAliases = 100;

type ParsedDocument = Document.Parsed<ParsedNode>;

export function parseYaml(file: string, text: string): YamlFile | UnreadableYaml {
  const lines = new LineCounter();
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const unreadable = (...found: Found[]): UnreadableYaml => ({
    fatal: true,
    problems: found.map(({ offset, message }) => ({ file, position: at(offset), message })),
  });

  const deep = tooDeep(tokens);
  if (deep) return unreadable({ offset: deep.offset, message: `is nested more than ${maxDepth} levels deep` });
  const [document, second] = [
    ...new Composer({ prettyErrors: false, uniqueKeys: false }).compose(tokens, true, text.length),
  ];
  if (!document) return unreadable(empty);

  const errors = [...document.errors, ...document.warnings].map(explain);
  const fatal = errors.filter((error) => error.fatal);
  // What follows the first error of a kind is often its consequence.
  if (fatal.length > 0) return unreadable(...fatal.slice(0, 5));
  if (second) return unreadable({ offset: second.range[0], message: secondDocument });
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null))
    return unreadable(empty);
  const unfaithful = unsupported(document);
  if (unfaithful.length > 0) return unreadable(...unfaithful);

  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: maxAliases });
  } catch (error) {
    // Aliases of aliases that would grow without bound (a "billion laughs").
    if (!(error instanceof ReferenceError)) throw error;
    return unreadable({ offset: 0, message: "uses its anchors too often; write the values out" });
  }
  return {
    file,
    fatal: false,
    value,
    problems: unreadable(...errors, ...repeatedKeys(document, text)).problems,
    positionOf: (path, which) => at(offsetOf(document, path, which)),
    plainScalarAt: (path) => {
      const { node, depth } = descend(document, path);
      if (depth < path.length || !isScalar(node) || node.type !== Scalar.PLAIN) return undefined;
      return { value: node.value, source: node.source ?? String(node.value) };
    },
  };
}

/** The first token that is nested too deep, found without recursion. */
function tooDeep(tokens: readonly CST.Token[]): CST.Token | undefined {
  const open = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { token, depth } = next;
    if (depth > maxDepth) return token;
    const children =
      "items" in token
        ? token.items.flatMap(({ key, value }) => [key, value])
        : token.type === "document"
          ? [token.value]
          : [];
    for (const child of children) if (child) open.push({ token: child, depth: depth + 1 });
  }
  return undefined;
}

interface Found {
  readonly offset: number;
  readonly message: string;
}

const empty: Found = {
  offset: 0,
  message: "is empty; a cluster file has at least clusterDNS and kubeProxyMode (`cluster-dns init NAME` writes one)",
};

const secondDocument = "a second document begins here; a cluster file holds one cluster, give each its own file";

function explain({ code, message, pos: [offset] }: YAMLError): Found & { fatal: boolean } {
  switch (code) {
    case "TAB_AS_INDENT":
      return { offset, message: "a tab is not allowed as indentation in YAML; use spaces", fatal: true };
    default:
      return { offset, message: `is not valid YAML here: ${message}`, fatal: true };
  }
}

// The parser's own check compares each key with all before it, which a hostile file makes take minutes.
function repeatedKeys(document: ParsedDocument, text: string): Found[] {
  const found: Found[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const value = isScalar(key) ? key.value : key;
        const offset = startOf(key) ?? 0;
        if (seen.has(value))
          found.push({ offset, message: `${keyAt(text, offset)}: is there twice; keep one of them` });
        seen.add(value);
      }
    },
  });
  return found;
}

function keyAt(text: string, offset: number): string {
  return /^(?:"[^"\n]*"|'[^'\n]*'|[^:\s]+)/.exec(text.slice(offset, offset + 300))?.[0] ?? "a key";
}

/** YAML that parses, and that no JSON value (so no cluster file) can be made of faithfully. */
function unsupported(document: ParsedDocument): Found[] {
  const found: Found[] = [];
  const report = (node: unknown, message: string) => {
    found.push({ offset: startOf(node) ?? 0, message });
  };
  let aliases = 0;
  visit(document, {
    Alias(_, alias, ancestors) {
      // Each is looked up in the whole document.
      if (++aliases > maxAliases) {
        report(alias, `is one alias too many; at most ${maxAliases} accepted, write the values out`);
        return visit.BREAK;
      }
      const target = alias.resolve(document);
      if (!target) report(alias, `*${alias.source} has no anchor &${alias.source} before it`);
      else if (ancestors.includes(target)) report(alias, `*${alias.source} is inside of what it stands for`);
      return undefined;
    },
    Pair(_, { key }) {
      if (isScalar(key) && typeof key.value === "string") return;
      // `1.10:` would silently become the key 1.1.
      report(
        key,
        isScalar(key) && key.source
          ? `${key.source}: put this key in quotes`
          : "a key is a word; lists, mappings and aliases cannot be keys",
      );
    },
  });
  return found;
}

function offsetOf(document: ParsedDocument, path: Problem["path"], at: Problem["at"]): number {
  const { node, pair, depth } = descend(document, path);
  const wanted = depth === path.length && at === "value" ? [node, pair?.key] : [pair?.key, node];
  return startOf(wanted[0]) ?? startOf(wanted[1]) ?? 0;
}

/** Follows a path as far as the file has it. */
function descend(
  document: ParsedDocument,
  path: Problem["path"],
): { node: unknown; pair: Pair | undefined; depth: number } {
  let node: unknown = document.contents;
  let pair: Pair | undefined;
  for (const [depth, step] of path.entries()) {
    const holder = isAlias(node) ? node.resolve(document) : node;
    if (isMap(holder)) {
      const next = holder.items.find(({ key }) => isScalar(key) && key.value === String(step));
      if (!next) return { node, pair, depth };
      pair = next;
      node = next.value;
    } else if (isSeq(holder) && typeof step === "number" && step < holder.items.length) {
      pair = undefined;
      node = holder.items[step];
    } else {
      return { node, pair, depth };
    }
  }
  return { node, pair, depth: path.length };
}

function startOf(node: unknown): number | undefined {
  return (node as Partial<Node> | null | undefined)?.range?.[0];
}
