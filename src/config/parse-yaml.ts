import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  visit,
  type YAMLError,
} from "yaml";
import type { Problem } from "../model/syntax/problem";
import type { LocatedProblem } from "./located-problem";

/** A YAML file as a value, with a way back from a path in the value to a position in the file. */
export interface YamlFile {
  readonly file: string;
  /** Undefined if the file cannot be read as one value. */
  readonly value: unknown;
  /** Whether it has only comments, which is a problem in a cluster file. */
  readonly isEmpty: boolean;
  readonly problems: readonly LocatedProblem[];
  /** The position of a value or key or, if the file lacks it, of what would contain it. */
  positionOf(path: Problem["path"], at: Problem["at"]): { line: number; column: number };
  /** How many steps of a path the file has. */
  depthOf(path: Problem["path"]): number;
  /** The unquoted scalar at a path, with its text as the file spells it. */
  plainScalarAt(path: Problem["path"]): { readonly value: unknown; readonly source: string } | undefined;
}

export function parseYaml(file: string, text: string): YamlFile {
  const lineCounter = new LineCounter();
  const position = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return { line, column: col };
  };
  const located = (offset: number, message: string): LocatedProblem => ({ file, position: position(offset), message });
  // Keys are strings as written: `1.10:` is no number. Duplicates are found below, because the library compares every
  // pair.
  const document = parseDocument(text, { prettyErrors: false, stringKeys: true, uniqueKeys: false, lineCounter });
  const conflict = text.search(/^<{7} [^]*^>{7} /m);
  const errors = conflict >= 0 ? [] : [...document.errors, ...document.warnings];
  const refused = conflict >= 0 || errors.length > 0 ? [] : unsupported(document);
  const isUnreadable = conflict >= 0 || errors.length + refused.length > 0;
  const { value, isEmpty = false, problem } = isUnreadable ? {} : toValue(document);
  const problems = [
    ...(conflict >= 0 ? [located(conflict, "a merge conflict begins here; resolve it")] : []),
    // Whatever follows the first error of a kind is often its consequence.
    ...errors.slice(0, 5).map((error) => located(error.pos[0], explain(error))),
    ...[...refused, ...(conflict >= 0 ? [] : repeatedKeys(document))].map(([node, message]) =>
      located(startOf(node) ?? 0, message),
    ),
    ...(problem === undefined ? [] : [located(0, problem)]),
  ];
  return {
    file,
    value,
    isEmpty,
    problems,
    depthOf: (path) => descend(document, path).depth,
    positionOf: (path, which) => position(offsetOf(document, path, which)),
    plainScalarAt: (path) => {
      const { node, depth } = descend(document, path);
      if (depth < path.length || !isScalar(node) || node.type !== Scalar.PLAIN) return undefined;
      return { value: node.value, source: node.source ?? String(node.value) };
    },
  };
}

function explain({ code, message }: YAMLError): string {
  switch (code) {
    case "TAB_AS_INDENT":
      return "a tab is not allowed as indentation in YAML; use spaces";
    case "MULTIPLE_DOCS":
      return "a second document begins here; a cluster file describes one cluster; give each its own file";
    default:
      return `is not valid YAML here: ${message}`;
  }
}

function toValue(document: Document): {
  readonly value?: unknown;
  readonly isEmpty?: boolean;
  readonly problem?: string;
} {
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    // More aliases than the library follows.
    return { problem: `is not valid YAML: ${(error as Error).message}` };
  }
  return value === null
    ? {
        isEmpty: true,
        problem:
          "is empty; a cluster needs at least clusterDNS and kubeProxyMode (`npx cdk8s-cluster-dns init NAME` writes a file)",
      }
    : { value };
}

/** More than a cluster file needs; each costs a walk through the document. */
const maxAliases = 1000;

/** YAML that parses but has no JSON value, so cannot be a cluster file. */
function unsupported(document: Document): [node: Node, message: string][] {
  const found: [Node, string][] = [];
  let aliases = 0;
  visit(document, {
    Alias(_, alias, ancestors) {
      // To resolve one, the library walks the document.
      if (++aliases > maxAliases) {
        found.push([alias, `is alias number ${maxAliases + 1}; at most ${maxAliases} are accepted`]);
        return visit.BREAK;
      }
      const target = alias.resolve(document);
      if (!target) found.push([alias, `*${alias.source} has no anchor &${alias.source} before it`]);
      else if (ancestors.includes(target)) found.push([alias, `*${alias.source} refers to a node that contains it`]);
      return undefined;
    },
    // `!!set`, `!!omap`, `!!binary`
    Value(_, node) {
      const tag = node.tag?.replace("tag:yaml.org,2002:", "!!");
      if (tag && !/^!!(map|seq|str|int|float|bool|null)$/.test(tag))
        found.push([node, `has the tag ${tag}; leave it out, and write mappings, lists and plain values`]);
    },
  });
  return found;
}

function repeatedKeys(document: Document): [node: Node, message: string][] {
  const found: [Node, string][] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) found.push([key, "this key appears twice; keep one"]);
        seen.add(key.value);
      }
    },
  });
  return found;
}

function offsetOf(document: Document, path: Problem["path"], at: Problem["at"]): number {
  const { node, pair, depth } = descend(document, path);
  const wanted = depth === path.length && at === "value" ? [node, pair?.key] : [pair?.key, node];
  return startOf(wanted[0]) ?? startOf(wanted[1]) ?? 0;
}

/** Follows a path as far as the file goes. */
function descend(document: Document, path: Problem["path"]): { node: unknown; pair: Pair | undefined; depth: number } {
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
