import type { Namespace } from "../../rig/kernel/namespace";

export interface Question {
  /** Default: the name whose address shows who answers. */
  readonly name?: string;
  readonly type?: "A" | "TXT";
  /** The source address, or `ADDRESS#PORT`. */
  readonly source?: string;
}

/** The answers of each server, over UDP, then over TCP. */
export function ask(
  from: Namespace,
  servers: readonly string[],
  { name = "name.load.test", type = "A", source }: Question = {},
): string[] {
  const questions = servers.flatMap((server) =>
    ["+notcp", "+tcp"].flatMap((protocol) => [`@${server}`, name, type, protocol]),
  );
  // Patient: the kernel is emulated.
  const options = ["+short", "+tries=1", "+time=10", ...(source === undefined ? [] : ["-b", source])];
  const answers = from.run("sh", ["-c", 'dig "$@" || true', "sh", ...options, ...questions]);
  return answers.trim().split("\n");
}
