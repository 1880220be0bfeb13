import { shellWord } from "./syntax/shell-word";

/** A command for somebody's shell, as a value: it is quoted once, when it is printed. */
export interface ShellCommand {
  /** `kubectl`. */
  readonly program: string;
  /** Each as the program gets it, unquoted. */
  readonly args: readonly string[];
  /** A remark for whoever runs it. */
  readonly comment?: string;
}

/** `kubectl delete secret 'a b'  # once nothing needs it`. */
export function printCommand({ program, args, comment }: ShellCommand): string {
  const words = [program, ...args].map(shellWord).join(" ");
  return comment === undefined ? words : `${words}  # ${comment}`;
}

export function kubectl(...args: readonly string[]): ShellCommand {
  return { program: "kubectl", args };
}

/** A command of ours: `diff`, `synth`, ... */
export function clusterDns(...args: readonly string[]): ShellCommand {
  return { program: "npx", args: ["cdk8s-cluster-dns", ...args] };
}
