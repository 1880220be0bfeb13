import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { clusterNameRule, isClusterName, isDefaultsFile, listClusterFiles } from "../config/list-cluster-files";
import { kindOf } from "../config/kind-of";
import { formatProblem, type LocatedProblem } from "../config/located-problem";
import { valueAt } from "../config/origin";
import type { Part } from "../config/overlay";
import type { YamlFile } from "../config/parse-yaml";
import { badNames } from "../config/read-clusters";
import { readYaml } from "../config/read-yaml";
import { misshapenDefaults } from "../config/resolve-files";
import { kubectl, printedBy } from "../live/kubectl";
import { areObjects, textOfObjects } from "../live/text-of-objects";
import { readRecorded } from "../live/read-recorded";
import { readState } from "../live/read-state";
import { Fleet } from "../live/take-over/fleet";
import { kubectlArguments, openShiftArguments } from "../live/take-over/kubectl-arguments";
import { noteTitles, takeOver, type Takeover } from "../live/take-over/take-over";
import { renderedDifferently } from "../live/rendered-differently";
import { resolve as resolveDescription } from "../model/check/resolve";
import { inDocs } from "../model/docs";
import { errorMessage } from "../model/syntax/error-message";
import { isMapping } from "../model/syntax/mapping";
import { formatPath } from "../model/syntax/problem";
import { FolderCheck } from "../output/folder-check";
import { makeFolder } from "../output/make-folder";
import { writeWhole } from "../output/write-whole";
import { commandWith, taking, UsageError } from "./command";
import { firstFile } from "./first-file";
import { ownFile } from "./own-file";
import { lines, print, printError } from "./print";

const kubectlCommand = `kubectl ${kubectlArguments.join(" ")}`;

export const command = commandWith({
  help: `Writes a first cluster file, filled in from a cluster's DNS if asked. Never overwrites one.

Usage: npx cdk8s-cluster-dns init [--clusters DIR] [--from FILE | --context CONTEXT] [NAME]

  NAME               the cluster (default: dev)
  --clusters DIR     the folder of the cluster files (default: clusters)
  --from FILE        read the cluster's objects from FILE, or standard input (-):
                       ${kubectlCommand} | npx cdk8s-cluster-dns init prod --from -
                     or a Corefile alone, which leaves clusterDNS and kubeProxyMode to you
  --context CONTEXT  get them with kubectl, using this context

Without --from and --context, the file has commands that find its values. With either, init lists what the objects say
that a cluster file cannot express. ${inDocs("from-a-cluster")} says what is compared.
`,
  namesClusters: false,
  options: { ...taking("clusters"), from: { type: "string" }, ...taking("context") },

  run({ clusters: folder, from, context }, names) {
    const name = nameIn(names);
    if (from !== undefined && context !== undefined) throw new UsageError("--from and --context exclude each other");
    const defaults = readDefaults(folder);
    if ("problems" in defaults) return refuse(defaults.problems.map(formatProblem).join("\n"));
    const place = { folder, name, defaults };
    if (from !== undefined) return fromObjects(place, from === "-" ? "standard input" : from, () => [read(from)]);
    if (context !== undefined) return fromObjects(place, `kubectl --context ${context}`, () => askKubectl(context));
    return writeFirstFile(place, firstFile(Object.keys(defaults.value)));
  },
});

function nameIn(names: readonly string[]): string {
  const [name = "dev", ...more] = names;
  const saved = names.find((each) => kindOf(each) === "file" && !/\.ya?ml$/.test(each));
  const hint = saved === undefined ? "" : `; for objects that you saved: --from ${saved}`;
  if (more.length > 0) throw new UsageError(`writes one file, but got ${names.length} names${hint}`);
  if (!isClusterName(name))
    throw new UsageError(`"${name}" is not a cluster name: ${clusterNameRule}${hint || likelyName(name)}`);
  return name;
}

/** A file's name is often given in place of the cluster's, or the name as somebody else writes it. */
function likelyName(name: string): string {
  const likely = basename(name)
    .replace(/\.ya?ml$/, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  return isClusterName(likely) ? `; did you mean ${likely}?` : "";
}

interface Defaults {
  readonly file?: YamlFile;
  readonly value: Part;
}

interface Place {
  readonly folder: string;
  readonly name: string;
  readonly defaults: Defaults;
}

/** What the folder's defaults file says: a value in a cluster file wins over it. */
function readDefaults(folder: string): Defaults | { readonly problems: readonly LocatedProblem[] } {
  const name = kindOf(folder) === "folder" ? readdirSync(folder).find(isDefaultsFile) : undefined;
  if (name === undefined) return { value: {} };
  const file = readYaml(join(folder, name));
  // It may have only comments.
  if (file.isEmpty) return { value: {} };
  const problems = [...file.problems, ...misshapenDefaults({}, [file])];
  return problems.length > 0 ? { problems } : { file, value: isMapping(file.value) ? file.value : {} };
}

function fromObjects(place: Place, source: string, objects: () => readonly string[]): number {
  const { file, value: shared } = place.defaults;
  const fleet = new Fleet(shared);
  let found: Takeover;
  let texts: readonly string[];
  try {
    texts = objects();
    found = understand(source, texts, fleet);
  } catch (error) {
    return refuse(errorMessage(error));
  }
  const { description, reasons, ours } = found;
  const exitCode = writeFirstFile(place, firstFile(Object.keys(shared), description, reasons));
  if (exitCode !== 0) return exitCode;
  const because = (key: string) =>
    Object.hasOwn(description, key) && reasons[key] !== undefined ? [reasons[key]] : [];
  list("left to its owner, with authoritativeDNS.kind: Existing", because("authoritativeDNS"));
  list("without a node cache, with nodeLocalDNS.state: disabled", because("nodeLocalDNS"));
  const whole = fleet.with(description);
  const { cluster, problems = [] } = resolveDescription(whole);
  list("to be corrected in it", [
    ...misshapenDefaults(description, file ? [file] : []).map(formatProblem),
    ...problems.map(({ path, message }) => {
      const keys = path.filter((step) => typeof step === "string");
      const isShared = valueAt(description, keys) === undefined && fleet.says(...keys) !== undefined;
      const key = path.join(".");
      const why = valueAt(whole, path) === undefined ? (reasons[key] ?? whyMissing(key, texts)) : undefined;
      return `${isShared ? `${file?.file}: ` : ""}${formatPath(path)}: ${why ?? message}`;
    }),
  ]);
  for (const [topic, title] of noteTitles)
    list(
      title.replace("DEFAULTS", file?.file ?? ""),
      found.notes.filter((note) => note.topic === topic).map(({ what }) => what),
    );
  if (ours.length > 0) {
    print(
      "cdk8s-cluster-dns already manages this cluster: use the cluster file that it was rendered from, if you have it\n",
    );
    list("rendered differently by the new file", cluster ? renderedDifferently(cluster, ours) : []);
  }
  return 0;
}

/** Why keys that every cluster file needs have no value, and what tells it. */
function whyMissing(key: string, texts: readonly string[]): string | undefined {
  const ofProxy = "set it; on a node, `curl -s localhost:10249/proxyMode` tells";
  const reasons: { readonly [key: string]: string } = texts.some(areObjects)
    ? {
        clusterDNS: `no DNS Service is among the objects; get them with -n kube-system; for --from, OpenShift's has a command of its own (${inDocs("from-a-cluster")})`,
        kubeProxyMode: `no ConfigMap kube-proxy is among the objects, nor Cilium's in its place: ${ofProxy}`,
      }
    : {
        clusterDNS: "no Corefile says it: set it; `kubectl -n kube-system get service kube-dns` shows its CLUSTER-IP",
        kubeProxyMode: `no Corefile says it: ${ofProxy}`,
      };
  return reasons[key];
}

/** The most that is read: 5,000 nodes with their images are some 100 MB. */
const mostCharacters = 256 * 1024 * 1024;

/** @throws Error that says where the text cannot be read, and what is accepted. */
function understand(source: string, texts: readonly string[], fleet: Fleet): Takeover {
  try {
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (length > mostCharacters) throw new Error(`has ${length} characters; at most ${mostCharacters} are read`);
    return takeOver(readState(...texts.map(textOfObjects)), fleet);
  } catch (error) {
    throw new Error(`${source}: ${errorMessage(error)}; accepted: a Corefile, or the output of ${kubectlCommand}`, {
      cause: error,
    });
  }
}

function list(title: string, items: readonly string[]): void {
  if (items.length > 0) print(`${title}:\n${lines(items.map((item) => `  ${item}`))}`);
}

function read(file: string): string {
  try {
    return readRecorded(file);
  } catch (error) {
    throw new Error(`${file}: ${errorMessage(error)}; make it with: ${kubectlCommand} > ${file}`, { cause: error });
  }
}

function askKubectl(context: string): string[] {
  const stdout = printedBy(kubectlArguments, context);
  const openShift = kubectl(openShiftArguments, context);
  return [stdout, ...(openShift.failure === undefined ? [openShift.stdout] : [])];
}

function writeFirstFile({ folder, name }: Place, contents: string): number {
  const file = join(folder, `${name}.yaml`);
  const inTheWay: string[] = [];
  new FolderCheck(folder, inTheWay).exists(".");
  if (inTheWay.length > 0) return refuse(inTheWay.join("\n"));
  try {
    const made = makeFolder(folder);
    const problem = whyNotHere(folder, name);
    if (problem !== undefined) {
      if (made !== undefined) rmSync(made, { recursive: true });
      return refuse(problem);
    }
    writeWhole(file, `# yaml-language-server: $schema=${schemaFor(folder)}\n\n${contents}`);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return refuse(`${file} cannot be written (${String(error.code)})`);
  }
  print(`wrote ${file}: check its values against your cluster, then run npx cdk8s-cluster-dns synth\n`);
  return 0;
}

function whyNotHere(folder: string, name: string): string | undefined {
  const listed = listClusterFiles(folder);
  if ("problem" in listed) return listed.isEmpty ? undefined : formatProblem(listed.problem);
  const same = listed.files.find((each) => each.name === name);
  if (same) return `${same.files[0]} already exists; edit it, or choose another name`;
  const [bad] = badNames(listed.files);
  return bad && formatProblem(bad);
}

function refuse(message: string): number {
  printError(`${message}\n`);
  return 1;
}

/**
 * The schema's path, relative to the cluster file: next to it, in the installed package (by the path that a new version
 * keeps, although pnpm links it elsewhere), or copied next to it now.
 */
function schemaFor(folder: string): string {
  const beside = join(folder, "schema.json");
  const installed = "node_modules/cdk8s-cluster-dns/clusters/schema.json";
  if (!existsSync(beside)) {
    if (existsSync(installed)) return relative(folder, installed).split(sep).join("/");
    writeWhole(beside, ownFile("clusters/schema.json"));
  }
  return "schema.json";
}
