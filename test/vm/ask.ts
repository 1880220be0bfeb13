import type { Namespace } from "../../rig/kernel/namespace";

/** The answers of each server, over UDP, then over TCP. @param source Their source address, or `ADDRESS#PORT`. */
export function ask(from: Namespace, servers: readonly string[], source?: string): string[] {
  const questions = servers.flatMap((server) =>
    ["+notcp", "+tcp"].flatMap((protocol) => [`@${server}`, "name.load.test", "A", protocol]),
  );
  // Patient: the kernel is emulated.
  const options = ["+short", "+tries=1", "+time=10", ...(source === undefined ? [] : ["-b", source])];
  const answers = from.run("sh", ["-c", 'dig "$@" || true', "sh", ...options, ...questions]);
  return answers.trim().split("\n");
}
