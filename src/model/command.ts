import { shellWord } from "./syntax/shell-word";

/** A command for somebody's shell, as a value: it is quoted once, when it is printed. */
export interface ShellCommand {
  /** `kubectl`. */
  readonly program: string;
  /** Each as the program gets it, unquoted. */
  readonly args: readonly string[];
  /** A remark for whoever runs it. */
  readonly comment?: string;
  /** Takes a context of the kubeconfig as its last argument; kubectl and flux always do, as their first. */
  readonly endsWithContext?: true;
}

/** The command for the cluster of this context, if it is for a cluster. */
export function inContext({ endsWithContext, ...command }: ShellCommand, context: string | undefined): ShellCommand {
  if (context === undefined) return command;
  const { program, args } = command;
  const chosen = ["--context", context];
  // What follows `--` is of another program.
  if (program === "kubectl" || program === "flux") return { ...command, args: [...chosen, ...args] };
  return endsWithContext === true ? { ...command, args: [...args, ...chosen] } : command;
}

/** `kubectl delete secret 'a b'  # once nothing needs it`. */
export function printCommand({ program, args, comment }: ShellCommand): string {
  const words = [program, ...args].map(shellWord).join(" ");
  return comment === undefined ? words : `${words}  # ${comment}`;
}

export function kubectl(...args: readonly string[]): ShellCommand {
  return { program: "kubectl", args };
}

export function clusterDns(...args: readonly string[]): ShellCommand {
  return { program: "npx", args: ["cdk8s-cluster-dns", ...args] };
}
