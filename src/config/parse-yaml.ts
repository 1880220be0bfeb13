import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, Scalar, visit } from "yaml";
import type { Alias, Document, Node, Pair, YAMLError } from "yaml";
import { errorMessage } from "../model/syntax/error-message";
import { missingSpace } from "../model/syntax/missing-space";
import type { Problem } from "../model/syntax/problem";
import { isDefaultsFile } from "./list-cluster-files";
import { type LocatedProblem, maxProblems } from "./located-problem";

/** A YAML file as a value, with a way back from a path in the value to a position in the file. */
export interface YamlFile {
  readonly file: string;
  /** Undefined if the file cannot be read as one value. */
  readonly value: unknown;
  /** Whether it has only comments, which is a problem in a cluster file. */
  readonly isEmpty: boolean;
  readonly problems: readonly LocatedProblem[];
  /** The position of a value or key or, if the file lacks it, of what would contain it. */
  positionOf(path: Problem["path"], at: Problem["at"], within?: Problem["within"]): { line: number; column: number };
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
  const conflict = text.search(/^(?:<{7}|>{7}) /m);
  const errors = conflict >= 0 ? [] : [...document.errors, ...document.warnings];
  const refused = conflict >= 0 || errors.length > 0 ? [] : unsupported(document, !isDefaultsFile(file));
  const isUnreadable = conflict >= 0 || errors.length + refused.length > 0;
  const { value, isEmpty = false, problem } = isUnreadable ? {} : toValue(document);
  const problems = [
    ...(conflict >= 0 ? [located(conflict, "a merge conflict begins here; resolve it")] : []),
    // Whatever follows the first error of a kind is often its consequence.
    ...firstOfEachLine(errors, position)
      .slice(0, 5)
      .map((error) => located(error.pos[0], explain(error, text))),
    ...[...refused, ...(conflict >= 0 ? [] : repeatedKeys(document, position))]
      .slice(0, maxProblems)
      .map(([node, message]) => located(startOf(node) ?? 0, message)),
    ...(problem === undefined ? [] : [located(0, problem)]),
  ];
  return {
    file,
    value,
    isEmpty,
    problems,
    depthOf: (path) => descend(document, path).depth,
    positionOf: (path, which, within) => {
      const start = position(offsetOf(document, path, which));
      const { node, depth } = descend(document, path);
      return within && depth === path.length && isScalar(node) ? placeIn(node, text, start, within) : start;
    },
    plainScalarAt: (path) => {
      const { node, depth } = descend(document, path);
      if (depth < path.length || !isScalar(node) || node.type !== Scalar.PLAIN) return undefined;
      return { value: node.value, source: node.source ?? String(node.value) };
    },
  };
}

function firstOfEachLine(
  errors: readonly YAMLError[],
  position: (offset: number) => { line: number },
): readonly YAMLError[] {
  const first = new Map<number, YAMLError>();
  for (const error of [...errors].sort((a, b) => a.pos[0] - b.pos[0])) {
    const { line } = position(error.pos[0]);
    if (!first.has(line)) first.set(line, error);
  }
  return [...first.values()];
}

function explain({ code, message, pos: [start] }: YAMLError, text: string): string {
  const line = text.slice(text.lastIndexOf("\n", start - 1) + 1).split("\n", 1)[0] ?? "";
  if (/\]:\d/.test(line)) return `is not valid YAML here; put a server and its port in quotes: "[fd00::1]:53"`;
  const placeholder = /\{\{|\{%|\$\{/.exec(line)?.[0];
  if (placeholder)
    return `holds ${placeholder}, which nothing replaces in a cluster file; write the value out, or put a text with ${placeholder} in quotes`;
  // The error is where the library notices: at the key, or after what it takes for a text.
  const lacksSpace = missingSpace(line.trim().replace(/^- +/, ""));
  if (lacksSpace) return lacksSpace;
  const before = text.slice(0, start).trimEnd().at(-1) ?? " ";
  if (text.startsWith("- ", start) && ("[{,".includes(before) || code === "BLOCK_IN_FLOW"))
    return "a list in brackets or braces has no dashes; leave them out, or write each entry on a line of its own";
  switch (code) {
    case "TAB_AS_INDENT":
      return "a tab is not allowed as indentation in YAML; use spaces";
    case "MULTIPLE_DOCS":
      return "a second document begins here; a cluster file describes one cluster; give each its own file";
    case "BLOCK_AS_IMPLICIT_KEY":
      return /^[^"'#\n]*:(?:\s|$)/.test(text.slice(start))
        ? "a mapping cannot begin on the line of its key; put it below, indented, or in braces, and a text with a colon in quotes"
        : "the next line is indented further than it may be after a value";
    case "MULTILINE_IMPLICIT_KEY":
      return "is indented as if it continued the value above; begin a key at the column of the keys beside it";
    case "NON_STRING_KEY":
      return text[start] === "*" ? aliasOfNothing : "a list or a mapping as a key; keys are texts";
    case "BAD_ALIAS":
      return aliasOfNothing;
    case "BLOCK_IN_FLOW":
      return "a second colon where one key has room; put a text with a colon in quotes";
    case "BAD_DQ_ESCAPE":
      return `is not valid YAML here: ${message}; use single quotes, or write \\\\ for each \\`;
    case "TAG_RESOLVE_FAILED":
      return `is not valid YAML here: ${message}; leave it out`;
    case "BAD_SCALAR_START":
    case "UNEXPECTED_TOKEN":
      if (/[@`%]/.test(text[start] ?? "")) return `begins with ${text[start]}, which YAML reserves; put it in quotes`;
      if ("}]".includes(before)) return "goes on after a bracket; put a text that begins with { or [ in quotes";
      break;
    case "MISSING_CHAR":
      if (message.startsWith("Implicit map keys"))
        return "a key without a value; it needs a colon and a space after it";
  }
  return `is not valid YAML here: ${message}`;
}

const aliasOfNothing = "an alias of nothing; put what begins with * in quotes";

function toValue(document: Document): {
  readonly value?: unknown;
  readonly isEmpty?: boolean;
  readonly problem?: string;
} {
  let value: unknown;
  try {
    // What aliases stand for is limited below.
    value = document.toJS({ maxAliasCount: -1 });
  } catch (error) {
    return { problem: `is not valid YAML: ${errorMessage(error)}` };
  }
  return value === null
    ? {
        isEmpty: true,
        problem:
          "is empty; a cluster needs at least clusterDNS and kubeProxyMode (`npx cdk8s-cluster-dns init NAME` writes a file)",
      }
    : { value };
}

/** More than a cluster file needs; for each, the library looks at every anchor. */
const maxAliases = 1000;

/** As many as a file may have: aliases of aliases of aliases would fill the memory. */
const maxWrittenOut = 1024 * 1024;

/** YAML that parses but has no JSON value. @param mayShare Whether a defaults file may hold what clusters share. */
function unsupported(document: Document, mayShare: boolean): [node: Node, message: string][] {
  const found: [Node, string][] = [];
  // The library walks the document for each alias.
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  const lengths = new Map<Node, number>();
  let aliases = 0;
  let writtenOut = 0;
  visit(document, {
    Alias(_, alias, ancestors) {
      if (++aliases > maxAliases) {
        found.push([alias, `is alias number ${maxAliases + 1}; at most ${maxAliases} are accepted`]);
        return visit.BREAK;
      }
      const target = anchors.get(alias.source);
      if (!target) found.push([alias, `*${alias.source} has no anchor &${alias.source} before it`]);
      else if (ancestors.includes(target)) found.push([alias, `*${alias.source} refers to a node that contains it`]);
      else {
        targets.set(alias, target);
        writtenOut += lengthOf(target, targets, lengths);
        if (writtenOut <= maxWrittenOut) return undefined;
        const sum = `${writtenOut} characters, written out; at most ${maxWrittenOut} are accepted`;
        found.push([alias, `*${alias.source} and the aliases before it stand for ${sum}; use fewer`]);
        return visit.BREAK;
      }
      return undefined;
    },
    Pair(_, { key }) {
      if (isScalar(key) && key.value === "<<" && key.type === Scalar.PLAIN)
        found.push([
          key,
          `is a merge key, which YAML 1.2 does not have; write the keys out${mayShare ? ", or put what clusters share into _defaults.yaml" : ""}`,
        ]);
    },
    Value(_, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      // `!!set`, `!!omap`, `!!binary`
      const tag = node.tag?.replace("tag:yaml.org,2002:", "!!");
      if (tag && !/^!!(map|seq|str|int|float|bool|null)$/.test(tag))
        found.push([node, `has the tag ${tag}; leave it out, and write mappings, lists and plain values`]);
    },
  });
  return found;
}

/** A node's length with all its aliases written out. @param known Those of nodes that aliases stand for. */
function lengthOf(node: Node, targets: ReadonlyMap<Alias, Node>, known: Map<Node, number>): number {
  let length = known.get(node);
  if (length !== undefined) return length;
  const [start, end] = node.range ?? [0, 0];
  length = end - start;
  visit(node, {
    Alias(_, alias) {
      const target = targets.get(alias);
      if (target) length = (length ?? 0) + lengthOf(target, targets, known);
    },
  });
  known.set(node, length);
  return length;
}

function repeatedKeys(
  document: Document,
  position: (offset: number) => { line: number },
): [node: Node, message: string][] {
  const found: [Node, string][] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Map<unknown, Node>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        const first = seen.get(key.value);
        if (!first) seen.set(key.value, key);
        else found.push([key, `this key is also in line ${position(startOf(first) ?? 0).line}; keep one`]);
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

/** A place in the text of a scalar as a place in the file. Lines that YAML folds count as the first. */
function placeIn(
  { type, range }: Scalar,
  text: string,
  start: { readonly line: number; readonly column: number },
  { line, column }: NonNullable<Problem["within"]>,
): { line: number; column: number } {
  if (type !== Scalar.BLOCK_LITERAL)
    return line === 1
      ? { line: start.line, column: start.column + (type === Scalar.PLAIN ? 0 : 1) + column - 1 }
      : start;
  const [, ...lines] = text.slice(range?.[0], range?.[1]).split("\n");
  const indent = lines.find((each) => each.trim() !== "")?.search(/\S/) ?? 0;
  return { line: start.line + line, column: indent + column };
}

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
