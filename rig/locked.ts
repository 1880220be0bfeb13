import { spawn } from "node:child_process";
import { once } from "node:events";

/** Does work while no other process does any under the same lock file. A lock ends with the process that holds it. */
export async function locked<T>(file: string, work: () => Promise<T>): Promise<T> {
  const holder = spawn("flock", [file, "sh", "-c", "echo locked; exec cat"], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(holder, "exit").then(([code]) => code as number | null);
  const first = await Promise.race([once(holder.stdout, "data"), ended]);
  if (!Array.isArray(first)) throw new Error(`cannot lock ${file}: flock ended with exit code ${first}`);
  try {
    return await work();
  } finally {
    holder.stdin.end();
    await ended;
  }
}
