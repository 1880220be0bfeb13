import { listClusterFiles } from "../config/list-cluster-files";
import { type Command, type Commands, UsageError } from "./command";
import { lines, print } from "./print";

const program = "cdk8s-cluster-dns";

const words = `${program} completion words --`;

const scripts: { readonly [shell: string]: string } = {
  bash: `_cdk8s_cluster_dns() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(${words} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _cdk8s_cluster_dns ${program}
`,
  zsh: `_cdk8s_cluster_dns() {
  local -a candidates
  candidates=("\${(@f)$(${words} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a candidates
}
compdef _cdk8s_cluster_dns ${program}
`,
  fish: `complete --command ${program} --no-files --arguments '(${words} (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

export function completionCommand(commands: Commands): Command {
  return {
    help: `Prints what lets a shell complete commands, options and names of clusters.

Usage: npx cdk8s-cluster-dns completion bash|zsh|fish

  bash   add to ~/.bashrc: source <(cdk8s-cluster-dns completion bash)
  zsh    add to ~/.zshrc, after compinit: source <(cdk8s-cluster-dns completion zsh)
  fish   cdk8s-cluster-dns completion fish > ~/.config/fish/completions/cdk8s-cluster-dns.fish

The shell completes the command \`cdk8s-cluster-dns\`, not what follows \`npx\`. The command must be on the PATH, as after
\`npm install --global\`.
`,
    options: {},
    namesClusters: false,

    async run(_, [shell = "", ...rest]) {
      if (shell === "words") print(lines(await candidates(commands, rest)));
      else if (rest.length > 0 || !Object.hasOwn(scripts, shell))
        throw new UsageError(
          `takes one of ${Object.keys(scripts).join(", ")}, but got ${[shell, ...rest].join(" ") || "none"}`,
        );
      else print(scripts[shell] ?? "");
      return 0;
    },
  };
}

/** What may be the last of these words. */
async function candidates(commands: Commands, [name, ...args]: readonly string[]): Promise<string[]> {
  if (name === undefined || args.length === 0) return [...Object.keys(commands), "help", "--help", "--version"];
  if (name === "help") return args.length === 1 ? Object.keys(commands) : [];
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) return [];
  const { command } = await load();
  const [current = "", before = ""] = args.toReversed();
  if (current.startsWith("-")) return [...Object.keys(command.options), "help"].map((option) => `--${option}`);
  // A value, which the shell completes as a file.
  if (command.options[before.replace(/^--/, "")]?.type === "string") return [];
  return command.namesClusters ? clusterNames(args) : [];
}

function clusterNames(args: readonly string[]): string[] {
  const at = args.indexOf("--clusters");
  const listed = listClusterFiles((at < 0 ? undefined : args[at + 1]) ?? "clusters");
  return "problem" in listed ? [] : listed.files.map(({ name }) => name);
}
