// From documented interfaces: a JSON Schema of each (committed; clusters/schema.json also serves editors) and its
// compiled check (`validate.js` with its declaration, not committed). `--check` writes nothing and fails if a schema is
// stale; `--validator-only` compiles the checks from the existing schemas.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { placesIn } from "./places-in.mjs";
import { schemaUrl } from "./schema-store.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

const interfaces = [
  {
    title: "A cluster's DNS",
    type: "ClusterDnsProps",
    source: "src/model/props/cluster-dns.ts",
    schema: "clusters/schema.json",
    id: schemaUrl,
    validator: "src/model/check/validate.js",
    // Any file of a fleet may leave any key to another: what is missing in all of them is found by resolve().
    leavesKeysOut: true,
  },
  {
    title: "What the agent's programs on a node are told",
    type: "AgentConfig",
    source: "src/model/agent-config/agent-config.ts",
    schema: "src/model/agent-config/schema.json",
    validator: "src/model/agent-config/validate.js",
  },
  {
    title: "What the webhook is told",
    type: "WebhookConfig",
    source: "src/model/admission/webhook/webhook-config.ts",
    schema: "src/model/admission/webhook/schema.json",
    validator: "src/model/admission/webhook/validate.js",
  },
  {
    title: "What the smoke test is told",
    type: "SmokeTestConfig",
    source: "src/model/smoke-test/smoke-test-config.ts",
    schema: "src/model/smoke-test/schema.json",
    validator: "src/model/smoke-test/validate.js",
  },
];

/** The schemas, in the order of the interfaces, from a single reading of the sources. */
async function generateSchemas() {
  // With it comes a compiler, which takes twice as long to load as the checks to write.
  const { createGenerator } = await import("ts-json-schema-generator");
  const generator = createGenerator({
    path: join(root, `{${interfaces.map(({ source }) => source).join(",")}}`),
    tsconfig: join(root, "tsconfig.json"),
    skipTypeCheck: true,
    topRef: false,
    additionalProperties: false,
    extraTags: ["default", "formatMinimum", "formatMaximum"],
  });
  return interfaces.map(({ id, title, type, leavesKeysOut }) => {
    const schema = generator.createSchema(type);
    if (leavesKeysOut) delete schema.required;
    return `${JSON.stringify({ $id: id, title, ...schema }, proseDefaults, 2)}\n`;
  });
}

// A default in words (`@default - not checked`) is not a value that an editor could insert, so it moves to the
// description.
function proseDefaults(_key, node) {
  if (typeof node?.default !== "string" || !node.default.startsWith("- ")) return node;
  const { default: words, description = "", ...rest } = node;
  return { ...rest, description: `${description}\n\nDefault: ${words.slice(2)}.`.trim() };
}

function generateValidator(schema) {
  const ajv = new Ajv({ allErrors: true, verbose: true, strict: false, code: { source: true, lines: true } });
  const shape = JSON.parse(schema);
  const check = standalone.default(ajv, ajv.compile(withoutProse(shape)));
  // The first is that of the whole.
  const [, whole] = /^const (schema\d+) = /m.exec(check);
  return `${check}\nmodule.exports.whole = ${whole};\nmodule.exports.places = ${JSON.stringify(placesIn(shape))};\n`;
}

// Only editors show it, but for the first sentence of a key that must be there: the message that it is missing has it.
function withoutProse(node, isRequired = false) {
  if (Array.isArray(node)) return node.map((each) => withoutProse(each));
  if (typeof node !== "object" || node === null) return node;
  const { description = "", properties, definitions, ...rest } = node;
  return {
    ...(isRequired && description !== "" && { description: firstSentence(description) }),
    ...mapValues(rest, (value) => withoutProse(value)),
    ...(definitions && { definitions: mapValues(definitions, inWords) }),
    ...(properties && {
      properties: mapValues(properties, (value, key) => withoutProse(value, node.required?.includes(key))),
    }),
  };
}

// Messages say what a text of a type of its own is.
function inWords(type) {
  const isText = type.type === "string" && !type.enum;
  return { ...withoutProse(type), ...(isText && { words: firstSentence(type.description) }) };
}

function firstSentence(description) {
  return description.split(/\.(?:\s|$)/)[0];
}

function mapValues(mapping, change) {
  return Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key, change(value, key)]));
}

function declarationFor(validator) {
  const shape = relative(dirname(validator), "src/model/syntax/shape");
  return `declare const validate: import("${shape}").Validator;\nexport = validate;\n`;
}

function read(file) {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function writeIfChanged(file, text) {
  if (read(file) !== text) writeFileSync(join(root, file), text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes("--check");
  const onlyValidators = process.argv.includes("--validator-only");
  const schemas = onlyValidators ? interfaces.map((each) => read(each.schema)) : await generateSchemas();
  for (const [i, each] of interfaces.entries()) {
    const schema = schemas[i];
    if (check && schema !== read(each.schema)) {
      console.error(`${each.schema} does not match ${each.source}: run \`npm run generate\``);
      process.exitCode = 1;
    }
    if (check) continue;
    writeIfChanged(each.schema, schema);
    writeIfChanged(each.validator, generateValidator(schema));
    writeIfChanged(each.validator.replace(/\.js$/, ".d.ts"), declarationFor(each.validator));
  }
}
