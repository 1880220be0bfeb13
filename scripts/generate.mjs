// From the documented interfaces in src/model/props: clusters/schema.json (committed, for editors) and the
// precompiled check src/model/check/validate.js (not committed). `--check` writes nothing and fails when the schema is stale.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { createGenerator } from "ts-json-schema-generator";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const schemaFile = join(root, "clusters/schema.json");
const validatorFile = join(root, "src/model/check/validate.js");

export function generateSchema() {
  const schema = createGenerator({
    path: join(root, "src/model/props/cluster-dns.ts"),
    tsconfig: join(root, "tsconfig.json"),
    type: "ClusterDnsProps",
    skipTypeCheck: true,
    topRef: false,
    additionalProperties: false,
    extraTags: ["default"],
  }).createSchema("ClusterDnsProps");
  return `${JSON.stringify({ title: "A cluster's DNS", ...schema }, proseDefaults, 2)}\n`;
}

// A default in words (`@default - not checked`) is no value that an editor may insert: it belongs to the description.
function proseDefaults(_key, node) {
  if (typeof node?.default !== "string" || !node.default.startsWith("- ")) return node;
  const { default: words, description = "", ...rest } = node;
  return { ...rest, description: `${description}\n\nDefault: ${words.slice(2)}.`.trim() };
}

export function generateValidator(schema) {
  const ajv = new Ajv({ allErrors: true, verbose: true, strict: false, code: { source: true, lines: true } });
  return standalone.default(ajv, ajv.compile(JSON.parse(schema, withoutProse)));
}

// Only editors show it.
function withoutProse(key, node) {
  return key === "description" && typeof node === "string" ? undefined : node;
}

function writeIfChanged(file, text) {
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes("--check");
  const schema = process.argv.includes("--validator-only") ? readFileSync(schemaFile, "utf8") : generateSchema();
  if (check && schema !== readFileSync(schemaFile, "utf8")) {
    console.error("clusters/schema.json is not what src/model/props says: run `npm run generate`");
    process.exit(1);
  }
  if (!check) {
    writeIfChanged(schemaFile, schema);
    writeIfChanged(validatorFile, generateValidator(schema));
  }
}
