import { reason } from "../config/reason";
import { type Commands, runCommand } from "./command";
import { IncompleteError, ownFile } from "./own-file";
import { isPrinting, print, PrintError, printError } from "./print";
import { suggest } from "../model/syntax/suggest";

const help = `One description of a cluster's DNS in, everything that its DNS needs out.

Usage: npx cdk8s-cluster-dns COMMAND

  synth [NAME...]  render cluster files into manifests
  diff [NAME...]   show what the next synth changes, and the effects
  explain NAME     show the values in effect, where each comes from, and the path of a query
  preflight NAME   check a cluster file against the cluster's nodes
  doctor [NAME]    say what is wrong with a running cluster's DNS, and what to do
  init [NAME]      write a first cluster file, from a cluster or from scratch
  leave NAME       print how a cluster leaves cdk8s-cluster-dns, in order
  version          print the versions of cdk8s-cluster-dns, and of what it deploys
  completion SHELL print what lets bash, zsh or fish complete commands, options and clusters

  help [COMMAND]   this text, or a command's own, as --help and COMMAND --help do
  --version        print the version of cdk8s-cluster-dns

Exit code: 0, 1 if a cluster file, the output folder or the cluster is wrong, or 2 if the command line is wrong.
`;

async function main(commands: Commands, [name, ...args]: readonly string[]): Promise<number> {
  if (name === "--version") return succeed(`${version()}\n`);
  if (name === undefined) return fail(help, 2);
  if (name === "help" && args.length > 0) return main(commands, [...args, "--help"]);
  if (["--help", "-h", "help"].includes(name)) return succeed(help);
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) return fail(`${unknown(name, Object.keys(commands))}\n`, 2);
  if (isOld(process.versions.node))
    return fail(
      `cdk8s-cluster-dns: needs Node 20.19, or 22.12 or newer, but this is ${process.versions.node}; install a newer one\n`,
      1,
    );

  const { command } = await load();
  return runCommand(name, command, args);
}

/** npm only warns about `engines`, and what an older Node lacks would look like a mistake of ours. */
function isOld(node: string): boolean {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  return major < 20 || major === 21 || (major === 20 && minor < 19) || (major === 22 && minor < 12);
}

function unknown(name: string, names: readonly string[]): string {
  const what = name.startsWith("-") ? "option" : "command";
  const accepted = what === "option" ? ["--help", "--version"] : names;
  return `cdk8s-cluster-dns: unknown ${what} ${name}${suggest(name, accepted) || `; accepted: ${accepted.join(", ")}`}`;
}

export function version(): string {
  const manifest: unknown = JSON.parse(ownFile("package.json"));
  return typeof manifest === "object" && manifest && "version" in manifest ? String(manifest.version) : "unknown";
}

function succeed(text: string): number {
  print(text);
  return 0;
}

function fail(text: string, exitCode: number): number {
  printError(text);
  return exitCode;
}

export async function start(commands: Commands): Promise<void> {
  process.exitCode = await exitCodeOf(commands, process.argv.slice(2));
  // Nothing else is under way, but Node would wait until V8 has optimized what nobody calls any more: 5% of a synthesis.
  if (!isPrinting()) process.exit();
}

async function exitCodeOf(commands: Commands, args: readonly string[]): Promise<number> {
  try {
    return await main(commands, args);
  } catch (error) {
    if (error instanceof PrintError || error instanceof IncompleteError)
      return fail(`cdk8s-cluster-dns: ${error.message}\n`, 1);
    if (isAboutWorkingDirectory(error))
      return fail(
        `cdk8s-cluster-dns: the working directory is gone (${reason(error)}); change to the root of your repository, with its whole path\n`,
        1,
      );
    const details = error instanceof Error ? error.stack : String(error);
    return fail(`cdk8s-cluster-dns: this should not happen, please report it with the cluster file: ${details}\n`, 1);
  }
}

/** What Node throws where it asks for the working directory, and another process has deleted that. */
function isAboutWorkingDirectory(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "uv_cwd";
}
