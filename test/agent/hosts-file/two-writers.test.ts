import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { beforeAll, expect, it } from "vitest";
import { marker, removeOwnLines } from "../../../src/model/node-resolver/hosts-lines";
import { temporaryFolder } from "../../temporary-folder";

const root = temporaryFolder("two-writers");
const writer = join(root, "writer.cjs");
const hosts = join(root, "etc/hosts");
const resolvConf = join(root, "etc/resolv.conf");
const foreign = `# some host\r\n127.0.0.1 localhost\n${Array.from({ length: 200 }, (_, i) => `10.1.1.${i} host-${i}\n`).join("")}10.2.2.2 last`;

beforeAll(() => {
  buildSync({ entryPoints: [join(__dirname, "writer.ts")], bundle: true, platform: "node", outfile: writer });
  mkdirSync(join(root, "etc"));
  writeFileSync(hosts, foreign);
  writeFileSync(resolvConf, "nameserver 192.0.2.53\n");
});
it("never show a reader half a file, never lose a foreign line, and leave the file beside it alone", async () => {
  const writers = ["a.ns.svc", "b.ns.svc"].map((service) => run(root, "40", service));
  const written = Promise.all(writers);
  let running = true;
  void written.finally(() => (running = false)).catch(() => {});

  const { ino, mtimeMs } = statSync(resolvConf);
  const inodes = new Set<number>();
  const service = "[ab]\\.ns\\.svc";
  const ownLine = new RegExp(`^(10\\.[09]\\.\\d+\\.\\d+|fd00::1) ${service} ${service}\\.cluster\\.local ${marker}$`);
  let reads = 0;
  for (; running; reads++) {
    const text = readFileSync(hosts, "latin1");
    inodes.add(statSync(hosts).ino);
    if (removeOwnLines(text) !== foreign) expect(text).toBe("the foreign lines and whole lines of ours");
    const own = text.split("\n").filter((line) => line.includes(marker));
    if (!own.every((line) => ownLine.test(line))) expect(own).toEqual("lines of ours");
    // Pauses now and then, so that the exit of the writers is noticed.
    if (reads % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }

  await written;
  expect(inodes.size).toBeGreaterThan(1);
  const last = readFileSync(hosts, "latin1");
  for (const own of [" a.ns.svc ", " b.ns.svc "])
    expect(last.split("\n").filter((line) => line.includes(own))).toHaveLength(3);
  expect(readdirSync(join(root, "etc"))).toEqual(["hosts", "resolv.conf"]);
  expect(statSync(resolvConf)).toMatchObject({ ino, mtimeMs });
});

function run(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [writer, ...args], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`exit code ${code}`))));
  });
}
