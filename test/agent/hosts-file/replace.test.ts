import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { replaceHostsFile } from "../../../src/agent/hosts-file/replace";
import { emptyFolder, putFile } from "../../temporary-folder";

const isRoot = process.getuid?.() === 0;

const root = emptyFolder("hosts-file");
const at = (path: string) => join(root, path);
const replace = (edit: (text: string) => string, path = "/etc/hosts") =>
  replaceHostsFile({ root, path, settleMs: 0 }, edit);
const append = (text: string) => `${text}new\n`;

beforeEach(() => {
  putFile(root, "etc/hosts", "old\n");
});
afterEach(() => void vi.restoreAllMocks());

describe("a hosts file is replaced", () => {
  it("by another file with its bytes, edited", async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    fs.writeFileSync(at("etc/hosts"), bytes);
    const before = fs.statSync(at("etc/hosts")).ino;
    expect(await replace((text) => text + text)).toBe("replaced");
    expect(fs.readFileSync(at("etc/hosts"))).toEqual(Buffer.concat([bytes, bytes]));
    expect(fs.statSync(at("etc/hosts")).ino).not.toBe(before);
    expect(fs.readdirSync(at("etc"))).toEqual(["hosts"]);
  });

  it("only if something changes: else inode and times stay", async () => {
    const before = fs.statSync(at("etc/hosts"), { bigint: true });
    expect(await replace((text) => text)).toBe("unchanged");
    const after = fs.statSync(at("etc/hosts"), { bigint: true });
    expect([after.ino, after.mtimeNs, after.ctimeNs]).toEqual([before.ino, before.mtimeNs, before.ctimeNs]);
  });

  it.each([0o644, 0o600, 0o664, 0o444])("keeping mode %o", async (mode) => {
    fs.chmodSync(at("etc/hosts"), mode);
    await replace(append);
    expect(fs.statSync(at("etc/hosts")).mode & 0o7777).toBe(mode);
  });

  it.skipIf(!isRoot)("keeping its owner (needs root)", async () => {
    fs.chownSync(at("etc/hosts"), 1234, 4321);
    await replace(append);
    expect(fs.statSync(at("etc/hosts"))).toMatchObject({ uid: 1234, gid: 4321 });
  });

  it.each([
    ["relative", "static/hosts"],
    ["of the host's root", "/etc/static/hosts"],
  ])("behind a link, %s", async (_kind, target) => {
    putFile(root, "etc/static/hosts", "linked\n");
    fs.rmSync(at("etc/hosts"));
    fs.symlinkSync(target, at("etc/hosts"));
    await replace(append);
    expect(fs.lstatSync(at("etc/hosts")).isSymbolicLink()).toBe(true);
    expect(fs.readFileSync(at("etc/static/hosts"), "utf8")).toBe("linked\nnew\n");
  });

  it("once a program that writes in place has finished", async () => {
    let lines = 0;
    vi.spyOn(Date, "now").mockImplementation(() => {
      const { mtimeMs } = fs.statSync(at("etc/hosts"));
      if (lines === 5) return mtimeMs + 1000;
      fs.appendFileSync(at("etc/hosts"), `line ${lines++}\n`);
      return mtimeMs;
    });
    await replaceHostsFile({ root, path: "/etc/hosts", settleMs: 1 }, append);
    expect(fs.readFileSync(at("etc/hosts"), "utf8")).toBe("old\nline 0\nline 1\nline 2\nline 3\nline 4\nnew\n");
  });

  it("from what another program has just written", async () => {
    let edits = 0;
    await replace((text) => {
      if (edits++ === 0) fs.writeFileSync(at("etc/hosts"), "theirs\n");
      return append(text);
    });
    expect(fs.readFileSync(at("etc/hosts"), "utf8")).toBe("theirs\nnew\n");
    expect(edits).toBe(2);
  });

  it("and removes leftovers of a killed writer, but not the files of an active one", async () => {
    fs.writeFileSync(at("etc/.hosts.cluster-dns-0000"), "");
    fs.utimesSync(at("etc/.hosts.cluster-dns-0000"), 0, 0);
    fs.writeFileSync(at("etc/.hosts.cluster-dns-1111"), "");
    fs.writeFileSync(at("etc/.hosts.swp"), "");
    fs.utimesSync(at("etc/.hosts.swp"), 0, 0);
    await replace((text) => text);
    expect(fs.readdirSync(at("etc"))).toEqual([".hosts.cluster-dns-1111", ".hosts.swp", "hosts"]);
  });
});

it.each<[what: string, prepare: () => void, reason: string, message: string]>([
  ["that does not exist", () => fs.rmSync(at("etc/hosts")), "missing", "does not exist"],
  ["whose folder does not exist", () => fs.rmSync(at("etc"), { recursive: true }), "missing", "does not exist"],
  ["that is a folder", () => swap(() => fs.mkdirSync(at("etc/hosts"))), "not-a-file", "is not a file"],
  ["that is a pipe", () => swap(() => spawnSync("mkfifo", [at("etc/hosts")])), "not-a-file", "is not a file"],
  ["that is a circular link", () => swap(() => fs.symlinkSync("hosts", at("etc/hosts"))), "outside", "circular link"],
  ["behind a link that leaves the folder", () => linkTo("../run/hosts"), "outside", "leads to /run/hosts"],
  ["behind a link from the root", () => linkTo("/run/hosts"), "outside", "leads to /run/hosts"],
  ["behind a folder that is a link to outside", () => linkTo("static/hosts", "etc/static"), "outside", "outside /etc"],
])("a hosts file is left unchanged: %s: %s", async (_what, prepare, reason, message) => {
  prepare();
  const before = contents();
  await expect(replace(append)).rejects.toMatchObject({ reason, message: expect.stringContaining(message) });
  expect(contents()).toEqual(before);
});

function linkTo(target: string, folder?: string): void {
  putFile(root, "run/hosts", "elsewhere\n");
  swap(() => fs.symlinkSync(target, at("etc/hosts")));
  if (folder) fs.symlinkSync("../run", at(folder));
}

function swap(create: () => unknown): void {
  fs.rmSync(at("etc/hosts"));
  create();
}

function contents(): string[] {
  return fs.readdirSync(root, { recursive: true, encoding: "utf8" }).map((path) => {
    const stats = fs.lstatSync(at(path));
    return `${path} ${stats.ino} ${stats.isFile() ? fs.readFileSync(at(path), "utf8") : ""}`;
  });
}

// The label is an extended attribute. Python sets one with SELinux's name; not all file systems and kernels allow that.
describe("the SELinux label", () => {
  const label = "system_u:object_r:net_conf_t:s0";
  const python = (code: string) =>
    spawnSync("python3", ["-c", `import os; ${code}`, at("etc/hosts")], { encoding: "utf8" });
  const keeping = () => replaceHostsFile({ root, path: "/etc/hosts", settleMs: 0, keepLabel: true }, append);
  const setLabel = `os.setxattr(os.sys.argv[1], "security.selinux", b"${label}")`;

  it("is kept if requested", async (context) => {
    const set = python(`import sys; ${setLabel}`);
    context.skip(set.status !== 0, "needs python3 and a file system where root may set security.selinux");
    await keeping();
    expect(python(`print(os.getxattr(os.sys.argv[1], "security.selinux").decode())`).stdout.trim()).toBe(label);
    expect(fs.readFileSync(at("etc/hosts"), "utf8")).toBe("old\nnew\n");
  });

  it("leaves the file unchanged if it cannot be kept", async () => {
    vi.stubEnv("PATH", at("etc"));
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(keeping()).rejects.toMatchObject({ reason: "label", message: expect.stringContaining("ENOENT") });
    expect(fs.readFileSync(at("etc/hosts"), "utf8")).toBe("old\n");
    expect(fs.readdirSync(at("etc"))).toEqual(["hosts"]);
  });
});
