import { run } from "./run";

/** The folder of a Go module's source, `PATH@VERSION`, downloaded if it is missing. */
export async function goModule(module: string): Promise<string> {
  const described = await run(["go", "mod", "download", "-json", module], { cwd: "/", timeoutSeconds: 600 });
  return (JSON.parse(described) as { Dir: string }).Dir;
}
