import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { agentImage } from "../../rig/cluster/agent-image";
import { everyAlert } from "../../rig/prometheus/every-alert";
import { repositoryRoot } from "../../rig/repository";
import { panelsOf } from "./dashboard";
import { draw } from "./draw";
import { record } from "./record";
import { readRecording, writeRecording } from "./recording";

const folder = join(repositoryRoot, "docs/panels");

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { record: { type: "boolean" }, check: { type: "boolean" } } });
  mkdirSync(folder, { recursive: true });
  if (values.record === true) writeRecording(await record());
  const recording = readRecording();
  const panels = panelsOf(everyAlert(agentImage));
  const expressions = panels.flatMap(({ queries }) => queries.map(({ expr }) => expr));
  const recorded = Object.keys(recording.series);
  const differing = [
    ...expressions.filter((expr) => !recorded.includes(expr)).map((expr) => `does not have ${expr}`),
    ...recorded.filter((expr) => !expressions.includes(expr)).map((expr) => `has ${expr}, which no panel asks`),
  ];
  for (const each of differing) problem(`docs/panels/recorded.json ${each}: run \`npm run panels -- --record\``);
  if (differing.length > 0) return;

  const drawn = new Map(panels.map((panel) => [fileName(panel.title), draw(panel, recording)]));
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".svg") && !drawn.has(name)))
    if (values.check === true) problem(`docs/panels/${file} is of no panel: run \`npm run panels\``);
    else rmSync(join(folder, file));
  for (const [file, svg] of drawn)
    if (values.check !== true) writeFileSync(join(folder, file), svg);
    else if (read(file) !== svg)
      problem(`docs/panels/${file} is not what today's dashboard shows: run \`npm run panels\``);
}

function problem(text: string): void {
  console.error(text);
  process.exitCode = 1;
}

function fileName(title: string): string {
  return `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.svg`;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(join(folder, file), "utf8");
  } catch {
    return undefined;
  }
}

void main();
