import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ownHeader } from "../../src/output/cluster-files";
import { OutputError, writeFiles } from "../../src/output/write-files";

let root: string;
let out: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "write-files-"));
  out = join(root, "dist");
});
afterEach(() => rmSync(root, { recursive: true }));

const ours = (text: string) => `${ownHeader}${text}\n`;

function files(...paths: string[]): Map<string, string> {
  return new Map(paths.map((path) => [path, ours(path)]));
}

function put(path: string, contents: string): void {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), contents);
}

function tree(folder = out): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => !statSync(join(folder, path)).isDirectory())
    .sort();
}

function problemsOf(write: () => unknown): readonly string[] {
  try {
    write();
  } catch (error) {
    if (error instanceof OutputError) return error.problems.map((problem) => problem.replaceAll(root, "ROOT"));
    throw error;
  }
  return [];
}

describe("files of ours", () => {
  it("are created with the folders they need", () => {
    expect(writeFiles(out, files("prod/dns/a.yaml", "prod/kustomization.yaml"))).toEqual({
      created: ["prod/dns/a.yaml", "prod/kustomization.yaml"],
      changed: [],
      deleted: [],
      unchanged: 0,
    });
    expect(readFileSync(join(out, "prod/dns/a.yaml"), "utf8")).toBe(ours("prod/dns/a.yaml"));
  });

  it("are not touched when they did not change", () => {
    writeFiles(out, files("prod/a.yaml", "prod/b.yaml"));
    const long = new Date("2001-01-01");
    utimesSync(join(out, "prod/a.yaml"), long, long);
    const { ino } = statSync(join(out, "prod/a.yaml"));

    const changed = files("prod/a.yaml", "prod/b.yaml").set("prod/b.yaml", ours("new"));
    expect(writeFiles(out, changed)).toMatchObject({ changed: ["prod/b.yaml"], unchanged: 1 });
    expect(statSync(join(out, "prod/a.yaml"))).toMatchObject({ ino, mtime: long });
    expect(readFileSync(join(out, "prod/b.yaml"), "utf8")).toBe(ours("new"));
  });

  it("are replaced as a whole: who reads a file while it changes sees the old one or the new one", () => {
    writeFiles(out, files("prod/a.yaml"));
    const { ino } = statSync(join(out, "prod/a.yaml"));
    writeFiles(out, new Map([["prod/a.yaml", ours("new")]]));
    expect(statSync(join(out, "prod/a.yaml")).ino).not.toBe(ino);
    expect(tree()).toEqual(["prod/a.yaml"]);
  });

  it("are deleted when they are stale, with the folders that this leaves empty", () => {
    writeFiles(out, files("prod/dns/a.yaml", "prod/old/b.yaml", "gone/kustomization.yaml", "gone/dns/a.yaml"));
    expect(writeFiles(out, files("prod/dns/a.yaml"))).toMatchObject({
      deleted: ["gone/kustomization.yaml", "gone/dns/a.yaml", "prod/old/b.yaml"],
      unchanged: 1,
    });
    expect(readdirSync(out)).toEqual(["prod"]);
    expect(readdirSync(join(out, "prod"))).toEqual(["dns"]);
  });

  it("of clusters that were not asked for stay", () => {
    writeFiles(out, files("prod/a.yaml", "prod/b.yaml", "dev/a.yaml"));
    expect(writeFiles(out, files("prod/a.yaml"), ["prod"]).deleted).toEqual(["prod/b.yaml"]);
    expect(tree()).toEqual(["dev/a.yaml", "prod/a.yaml"]);
  });
});

describe("files of others", () => {
  it("are never deleted, and keep their folders", () => {
    put("README.md", "read me");
    put("gone/a.yaml", ours("stale"));
    put("gone/notes.txt", "mine");
    put("gone/.git/deep/er/x", ours("too deep to be ours"));
    symlinkSync("a.yaml", join(out, "gone/link.yaml"));
    writeFiles(out, files("prod/a.yaml"));
    expect(readdirSync(join(out, "gone")).sort()).toEqual([".git", "link.yaml", "notes.txt"]);
    expect(existsSync(join(out, "README.md"))).toBe(true);
    expect(existsSync(join(out, "gone/.git/deep/er/x"))).toBe(true);
  });

  it("are not overwritten: nothing at all is written", () => {
    put("prod/b.yaml", "apiVersion: v1\n");
    put("prod/stale.yaml", ours("stale"));
    expect(problemsOf(() => writeFiles(out, files("prod/a.yaml", "prod/b.yaml")))).toEqual([
      "ROOT/dist/prod/b.yaml is in the way: it was not generated (its first line is not ours); move it elsewhere",
    ]);
    expect(tree()).toEqual(["prod/b.yaml", "prod/stale.yaml"]);
  });
});

describe("what is in the way of a folder or a file is told, and nothing is written", () => {
  it("a file where the output folder should be", () => {
    writeFileSync(out, "");
    expect(problemsOf(() => writeFiles(out, files("prod/a.yaml")))).toEqual([
      "ROOT/dist is in the way: it is a file, a folder is needed; move it elsewhere",
    ]);
  });

  it("links, which could lead anywhere", () => {
    mkdirSync(join(root, "elsewhere"));
    put("dev/a.yaml", ours("dev"));
    symlinkSync("../elsewhere", join(out, "prod"));
    symlinkSync("a.yaml", join(out, "dev/b.yaml"));
    expect(problemsOf(() => writeFiles(out, files("prod/a.yaml", "dev/b.yaml", "dev/c.yaml")))).toEqual([
      "ROOT/dist/prod is in the way: it is a symbolic link, a folder is needed; move it elsewhere",
      "ROOT/dist/dev/b.yaml is in the way: it is a symbolic link; move it elsewhere",
    ]);
    expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
    expect(existsSync(join(out, "dev/c.yaml"))).toBe(false);
  });

  it("a folder where a file should be", () => {
    mkdirSync(join(out, "prod/a.yaml"), { recursive: true });
    expect(problemsOf(() => writeFiles(out, files("prod/a.yaml")))).toEqual([
      "ROOT/dist/prod/a.yaml is in the way: it is not a file; move it elsewhere",
    ]);
  });

  it("a file where the output folder's own folder should be", () => {
    writeFileSync(join(root, "file"), "");
    expect(problemsOf(() => writeFiles(join(root, "file/dist"), files("prod/a.yaml")))).toEqual([
      "ROOT/file/dist cannot be read (ENOTDIR)",
    ]);
  });

  it("but the output folder itself may be a link", () => {
    mkdirSync(join(root, "elsewhere"));
    symlinkSync("elsewhere", out);
    writeFiles(out, files("prod/a.yaml"));
    expect(tree(join(root, "elsewhere"))).toEqual(["prod/a.yaml"]);
  });
});
