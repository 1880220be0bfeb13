import { type Block, headOf, type Path, stateOf } from "../model/query-path/blocks";
import { answers, type Hop } from "../model/query-path/trace";

const margin = 16;
const gap = 26;
const boxHeight = 24;

/** A column for the states of the cache, then one for each kind of hop: where it begins, and how wide it is. */
type Columns = { readonly [column in "state" | Hop["kind"]]: { readonly x: number; readonly width: number } };

/** A row for each path, a column for each kind of hop. Its own background makes it readable on any page. */
export function pathSvg(title: string, blocks: readonly Block[]): string {
  const columns = columnsOf(blocks.flatMap(({ paths }) => paths));
  const width = columns.answer.x + columns.answer.width + margin;
  let y = 40;
  const parts = blocks.flatMap((block) => {
    const line = `<line x1="${margin}" x2="${width - margin}" y1="${y - 6}" y2="${y - 6}" stroke="#dee2e6"/>`;
    const head = label(margin, y + 12, headOf(block), 'font-weight="bold"');
    y += 24;
    const rows = block.paths.map((path) => {
      const row = rowOf(path, y, columns);
      y += boxHeight + (path.lostUntil ? 24 : 10);
      return row;
    });
    y += 12;
    return [line, head, ...rows];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${escape(title)}</title>`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#495057"/></marker></defs>',
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${y - 1}" rx="8" fill="#ffffff" stroke="#ced4da"/>`,
    label(margin, 23, title, 'font-size="13" font-weight="bold"'),
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

function columnsOf(paths: readonly Path[]): Columns {
  let x = margin;
  const column = (texts: readonly string[]) => {
    const width = Math.max(...texts.map(widthOf));
    const place = { x, width };
    x += width === 0 ? 0 : width + gap;
    return place;
  };
  const hops = (kind: Hop["kind"]) =>
    column(paths.flatMap((path) => path.hops.filter((hop) => hop.kind === kind).map(({ text }) => text)).concat(""));
  return {
    state: column(paths.map(stateOf)),
    address: hops("address"),
    decision: hops("decision"),
    services: hops("services"),
    answer: hops("answer"),
  };
}

function rowOf(path: Path, y: number, columns: Columns): string {
  const middle = y + boxHeight / 2;
  const arrows = path.hops.slice(1).map(({ kind }, i) => {
    const from = columns[path.hops[i]?.kind ?? "address"];
    return `<line x1="${from.x + from.width}" x2="${columns[kind].x}" y1="${middle}" y2="${middle}" stroke="#495057" marker-end="url(#arrow)"/>`;
  });
  const lost = path.lostUntil
    ? [label(columns.address.x, y + boxHeight + 13, `lost until ${path.lostUntil}`, 'font-size="11"', "#c92a2a")]
    : [];
  return [
    label(columns.state.x, middle + 4, stateOf(path)),
    ...path.hops.map((hop) => box(hop, y, columns[hop.kind])),
    ...arrows,
    ...lost,
  ].join("");
}

const answerColors: { readonly [text: string]: string } = {
  [answers.cache]: "#2b8a3e",
  [answers.clusterDNS]: "#1971c2",
  [answers.nobody]: "#c92a2a",
};

function box({ kind, text }: Hop, y: number, { x, width }: Columns["state"]): string {
  const isAnswer = kind === "answer";
  const color = isAnswer ? (answerColors[text] ?? "#495057") : kind === "decision" ? "#fff3bf" : "#f1f3f5";
  const middle = label(x + width / 2, y + 16, text, 'text-anchor="middle"', isAnswer ? "#ffffff" : "#212529");
  return `<rect x="${x}" y="${y}" width="${width}" height="${boxHeight}" rx="${isAnswer ? 12 : 4}" fill="${color}" stroke="#868e96"/>${middle}`;
}

function label(x: number, y: number, text: string, attributes = "", color = "#212529"): string {
  return text === "" ? "" : `<text x="${x}" y="${y}" fill="${color}" ${attributes}>${escape(text)}</text>`;
}

/** Enough for any usual sans-serif font. */
function widthOf(text: string): number {
  return text === "" ? 0 : Math.ceil(text.length * 6.5) + 16;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
