import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { clusterNameRule, isClusterName } from "../config/cluster-name";
import { kubectlArguments, observe } from "../config/observe";
import { reason } from "../config/reason";
import { resolve as resolveDescription } from "../model/check/resolve";
import { formatPath } from "../model/syntax/problem";
import { type Command, UsageError } from "./command";
import { descriptionText, exampleDescription } from "./first-file";
import { lines, print, printError } from "./print";

const kubectlCommand = `kubectl ${kubectlArguments.join(" ")}`;

export const command: Command = {
  help: `Writes a first cluster file, filled in from a cluster's DNS if asked. Never overwrites one.

Usage: cluster-dns init [--clusters DIR] [--from FILE | --context CONTEXT] [NAME]

  NAME               the cluster (default: dev)
  --clusters DIR     the folder of the cluster files (default: clusters)
  --from FILE        read the cluster's objects from FILE, or standard input (-):
                       ${kubectlCommand} | npx cdk8s-cluster-dns init prod --from -
  --context CONTEXT  get them with kubectl, using this context

Lists everything in the objects that a cluster file cannot express.
`,
  options: {
    clusters: { type: "string", default: "clusters" },
    from: { type: "string" },
    context: { type: "string" },
  },

  run({ clusters, from, context }, names) {
    const [name = "dev", ...more] = names;
    if (more.length > 0) throw new UsageError(`writes one file, but got ${names.length} names`);
    if (!isClusterName(name)) throw new UsageError(`"${name}" is not a cluster name: ${clusterNameRule}`);
    if (from !== undefined && context !== undefined) throw new UsageError("--from and --context exclude each other");
    const folder = String(clusters);
    if (from === undefined && context === undefined) return writeFirstFile(folder, name, exampleDescription);
    return fromObjects(folder, name, typeof from === "string" ? () => read(from) : () => askKubectl(String(context)));
  },
};

function fromObjects(folder: string, name: string, objects: () => string): number {
  try {
    const { description, unsaid } = observe(objects());
    const exitCode = writeFirstFile(folder, name, descriptionText(description));
    if (exitCode !== 0) return exitCode;
    const { problems = [] } = resolveDescription(description);
    list(
      "to be corrected in it",
      problems.map(({ path, message }) => `${formatPath(path)}: ${message}`),
    );
    list("left out, because a cluster file cannot express it", unsaid);
    return 0;
  } catch (error) {
    return refuse(
      error instanceof SyntaxError
        ? `is not JSON (${error.message}); ${kubectlCommand} prints it`
        : (error as Error).message,
    );
  }
}

function list(title: string, items: readonly string[]): void {
  if (items.length > 0) print(`${title}:\n${lines(items.map((item) => `  ${item}`))}`);
}

function read(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new Error(`${file}: cannot be read (${reason(error)}); make it with: ${kubectlCommand} > ${file}`, {
      cause: error,
    });
  }
}

function askKubectl(context: string): string {
  const { status, stdout, stderr, error } = spawnSync("kubectl", ["--context", context, ...kubectlArguments], {
    encoding: "utf8",
    maxBuffer: 1024 ** 3,
  });
  if (status === 0) return stdout;
  throw new Error(
    `kubectl --context ${context} ${kubectlArguments.join(" ")}: ${error ? reason(error) : stderr.trim()}`,
  );
}

function writeFirstFile(folder: string, name: string, contents: string): number {
  const file = join(folder, `${name}.yaml`);
  const existing = [file, join(folder, `${name}.yml`)].find(existsSync);
  if (existing) return refuse(`${existing} already exists; edit it, or choose another name`);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, `# yaml-language-server: $schema=${schemaFor(folder)}\n\n${contents}`, { flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return refuse(`${file} cannot be written (${String(error.code)})`);
  }
  print(`wrote ${file}: check its values against your cluster, then run npx cdk8s-cluster-dns synth\n`);
  return 0;
}

function refuse(message: string): number {
  printError(`${message}\n`);
  return 1;
}

/** The schema's path, relative to the cluster file: next to it, in the installed package, or copied next to it now. */
function schemaFor(folder: string): string {
  const beside = join(folder, "schema.json");
  const packaged = resolve(__dirname, "../../clusters/schema.json");
  const isInstalledHere = packaged.startsWith(`${process.cwd()}${sep}`);
  if (!existsSync(beside)) {
    if (isInstalledHere) return relative(folder, packaged).split(sep).join("/");
    copyFileSync(packaged, beside);
  }
  return "schema.json";
}
