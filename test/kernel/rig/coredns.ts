import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const version = "v1.14.7";

/** The path of a CoreDNS binary; built once, with Go's module proxy, into the ignored folder for tools. */
export async function coreDNS(): Promise<string> {
  const folder = join(__dirname, `../../../.cache/tools/coredns-${version}`);
  const binary = join(folder, "coredns");
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  await promisify(execFile)("go", ["install", "-trimpath", "-ldflags=-s -w", `github.com/coredns/coredns@${version}`], {
    env: { ...process.env, GOBIN: folder, CGO_ENABLED: "0" },
    maxBuffer: 2 ** 26,
  });
  return binary;
}
