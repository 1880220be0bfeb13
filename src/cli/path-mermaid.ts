import { type Block, headOf, type Path, stateOf } from "../model/query-path/blocks";
import { lines } from "./print";

export function pathMermaid(blocks: readonly Block[]): string {
  return lines(["flowchart LR", ...blocks.flatMap(subgraph).map((line) => `  ${line}`)]);
}

function subgraph(block: Block, number: number): string[] {
  const nodes = new Map<string, string>();
  const arrows = new Map<string, string[]>();
  const node = (kind: keyof typeof shapes, text: string) => {
    const known = nodes.get(text);
    const name = `n${number}_${nodes.size}`;
    if (known === undefined) nodes.set(text, `${name}${shapes[kind].join(quoted(text))}`);
    return known?.split(/\W/, 1)[0] ?? name;
  };
  for (const path of block.paths) {
    const names = path.hops.map(({ kind, text }) => node(kind, text));
    for (const [i, to] of names.slice(1).entries()) {
      const ends = `${names[i]} ${to}`;
      // Paths part after the address.
      arrows.set(ends, [...(arrows.get(ends) ?? []), ...(i === 0 ? labelOf(path) : [])]);
    }
  }
  return [
    `subgraph s${number} [${quoted(headOf(block))}]`,
    ...[...nodes.values(), ...[...arrows].map(arrow)].map((line) => `  ${line}`),
    "end",
  ];
}

const shapes = {
  address: ["[", "]"],
  decision: ["{{", "}}"],
  services: ["[", "]"],
  answer: ["([", "])"],
} as const;

function labelOf(path: Path): string[] {
  const { lostUntil } = path;
  const parts = [stateOf(path), ...(lostUntil ? [`lost until ${lostUntil}`] : [])].filter((part) => part !== "");
  return parts.length > 0 ? [parts.join(",<br>")] : [];
}

function arrow([ends, labels]: [string, readonly string[]]): string {
  const [from, to] = ends.split(" ");
  return `${from} -->${labels.length > 0 ? `|${quoted(labels.join("<br>"))}|` : ""} ${to}`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', "#quot;")}"`;
}
