// Makes docs/cluster-file.md from clusters/schema.json.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The reference page of the cluster file: a table for the whole file, and one for each part that has its own keys. */
export function clusterFileDocs(schema) {
  const { definitions } = schema;
  const parts = Object.entries(definitions).filter(([, part]) => part.type === "object");
  return [
    "<!-- Generated from clusters/schema.json by scripts/cluster-file-docs.mjs: edit the comments in src/model/props. -->",
    "# The cluster file",
    `${schema.description} A file is named for its cluster: \`clusters/prod-eu.yaml\`, or \`clusters/prod-eu.cluster-dns.yaml\`, is rendered to \`dist/prod-eu/\`.`,
    `An unknown key is refused. An editor completes and checks the file when its first line names the schema:
\`init\` writes that line for your repository; in a clone it is \`# yaml-language-server: $schema=schema.json\`.`,
    `A cluster that uses some of them, as an example; \`clusters/\` has others:`,
    `\`\`\`yaml\n${readFileSync(join(root, "clusters/infra-nodes.yaml"), "utf8")}\`\`\``,
    table(schema, definitions),
    ...parts.flatMap(([name, part]) => [`## ${name}`, part.description, table(part, definitions)]),
  ]
    .map((paragraph) => paragraph.trim())
    .join("\n\n")
    .concat("\n");
}

function table({ properties, required = [] }, definitions) {
  const rows = Object.entries(properties).map(([key, property]) => {
    const { words, description } = split(property);
    return `| \`${key}\` | ${type(property, definitions)} | ${cell(required.includes(key) ? "**required**" : words)} | ${cell(description)} |`;
  });
  return ["| key | value | default | |", "|---|---|---|---|", ...rows].join("\n");
}

/** A default in words is the last paragraph of the description; see scripts/generate.mjs. */
function split({ description = "", default: value }) {
  const [, text = "", words] = /^([^]*?)(?:(?:^|\n\n)Default: ([^]*)\.)?$/.exec(description) ?? [];
  return { words: words ?? (value === undefined ? "" : `\`${show(value)}\``), description: text };
}

function show(value) {
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}

function type(property, definitions) {
  const {
    $ref,
    anyOf: choices,
    type: types,
    enum: words,
    items,
    additionalProperties: values,
    minimum,
    maximum,
    formatMinimum,
    formatMaximum,
  } = property;
  if ($ref) {
    const name = $ref.split("/").pop();
    if (definitions[name].enum) return type(definitions[name], definitions);
    if (definitions[name].type === "string")
      return `${inWords(name)}${formatMinimum ? `, ${formatMinimum} to ${formatMaximum}` : ""}`;
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (choices) return choices.map((choice) => type(choice, definitions)).join(" or ");
  if (words) return words.map((word) => `\`${word}\``).join(", ");
  if (items) return `list of ${type(items, definitions)}`;
  if (values) return `mapping to ${type(values, definitions)}`;
  const range =
    minimum !== undefined && maximum !== undefined
      ? `, ${minimum} to ${maximum}`
      : minimum !== undefined
        ? `, at least ${minimum}`
        : "";
  return `${[types].flat().join(" or ")}${range}`;
}

/** `NamespaceName`: namespace name; `DNSName`: DNS name; `IPv4Address`: IPv4 address. */
function inWords(name) {
  const words = name.match(/IPv\d|[A-Z]{2,}\d*(?![a-z])|[A-Z][a-z]+/g) ?? [];
  return words.map((word) => (/^([A-Z]{2}|Corefile)/.test(word) ? word : word.toLowerCase())).join(" ");
}

function cell(text) {
  return text
    .replaceAll("|", "\\|")
    .replaceAll(/(?<!\/)docs\/([a-z-]+\.md)/g, "[$1]($1)")
    .replace(/\s*\n\s*/g, " ")
    .trim();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const schema = JSON.parse(readFileSync(join(root, "clusters/schema.json"), "utf8"));
  writeFileSync(join(root, "docs/cluster-file.md"), clusterFileDocs(schema));
}
