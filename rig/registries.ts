import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port";
import { cacheFolder, repositoryRoot } from "./repository";
import { run } from "./run";
import { tool } from "./tools";
import { until } from "./until";

/** A registry on the loopback interface, with its contents in a folder. */
export interface Registry {
  /** IP:PORT. */
  readonly address: string;
  stop(): void;
}

/** For images. */
export async function serveImages(folder: string): Promise<Registry> {
  const address = `127.0.0.1:${await freePort()}`;
  const { stop, log } = serve(imageServer(address, folder));
  await until("the image registry", 30, async () => (await fetch(`http://${address}/v2/`)).ok, 100, log);
  return { address, stop };
}

export function imageServer(address: string, folder: string): string[] {
  return [tool("crane", "crane"), "registry", "serve", "--address", address, "--disk", folder];
}

/** For npm packages: ours are published to it, all others come from the registry that this machine uses. */
export async function serveNpm(folder: string): Promise<Registry & { readonly npmrc: string }> {
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}/`;
  const upstream = (await run(["npm", "config", "get", "registry"])).trim();
  const config = {
    storage: join(folder, "npm"),
    auth: { htpasswd: { file: join(folder, "htpasswd") } },
    uplinks: { upstream: { url: upstream } },
    packages: {
      "cdk8s-cluster-dns": { access: "$all", publish: "$authenticated" },
      "**": { access: "$all", proxy: "upstream" },
    },
    log: { type: "stdout", level: "warn" },
  };
  const configFile = join(folder, "verdaccio.json"); // verdaccio reads YAML, so JSON too
  writeFileSync(configFile, JSON.stringify(config));
  const program = [process.execPath, await verdaccio()];
  const { stop, log } = serve([...program, "--config", configFile, "--listen", address]);
  await until("the npm registry", 60, async () => (await fetch(`${url}-/ping`)).ok, 250, log);
  const npmrc = join(folder, "npmrc");
  writeFileSync(npmrc, `registry=${url}\n//${address}/:_authToken=${await userToken(url)}\n`);
  return { address, stop, npmrc };
}

async function userToken(url: string): Promise<string> {
  const user = { name: "release", password: "a-password-of-a-test" };
  const response = await fetch(`${url}-/user/org.couchdb.user:${user.name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(user),
  });
  if (!response.ok) throw new Error(`the npm registry takes no user: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { token: string }).token;
}

/** Its program, installed once from rig/npm-registry. */
async function verdaccio(): Promise<string> {
  const source = join(repositoryRoot, "rig/npm-registry");
  const lock = createHash("sha256").update(readFileSync(join(source, "package-lock.json")));
  const folder = join(cacheFolder, "tools", `npm-registry-${lock.digest("hex").slice(0, 10)}`);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    try {
      cpSync(source, unfinished, { recursive: true });
      await run(["npm", "ci", "--ignore-scripts"], { cwd: unfinished, timeoutSeconds: 600 });
      renameSync(unfinished, folder);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  return join(folder, "node_modules/verdaccio/bin/verdaccio");
}

/** Starts a server, which `stop` ends. */
export function serve([command = "", ...args]: readonly string[]): { stop(): void; log(): string } {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const keep = (chunk: Buffer) => (said = (said + chunk.toString()).slice(-20_000));
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  return { stop: () => void child.kill(), log: () => said };
}
