import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Files } from "../../src/output/cluster-files";
import type { Written } from "../../src/output/comparison";
import { headerLine } from "../../src/output/header";
import { OutputError } from "../../src/output/output-error";
import type { Owner } from "../../src/output/owner";
import { recordName, withRecord } from "../../src/output/record";
import { type Render, writeFiles } from "../../src/output/write-files";
import { emptyFolder, putFile } from "../temporary-folder";
import { replaceInFs } from "./replace-in-fs";

const root = emptyFolder("write-files");
const out = join(root, "dist");

const ours = (text: string, clusterFile = "clusters/prod.yaml") => `${headerLine(clusterFile)}${text}\n`;

/** Like `synth --clusters clusters`: a record for each cluster. */
function write(contents: Files, owner: Partial<Owner> = {}, folder = out) {
  const clusters = new Set([...contents.keys()].map((path) => path.slice(0, path.indexOf("/"))));
  const render: Render = (use) => {
    for (const cluster of clusters) {
      const own = new Map([...contents].filter(([path]) => path.startsWith(`${cluster}/`)));
      use(withRecord(own, { cluster, clusterFile: `clusters/${cluster}.yaml`, description: {} }));
    }
  };
  const written = writeFiles(folder, render, { clustersFolder: "clusters", ...owner });
  return { ...written, ...withoutRecords(written) };
}

/** Records come and go with their folders, and change with the lists of files. */
function withoutRecords({ created, changed, deleted }: Written): Pick<Written, "created" | "changed" | "deleted"> {
  const isOther = (path: string) => !path.endsWith(`/${recordName}`);
  return { created: created.filter(isOther), changed: changed.filter(isOther), deleted: deleted.filter(isOther) };
}

function files(...paths: string[]): Map<string, string> {
  return new Map(paths.map((path) => [path, ours(path)]));
}

const put = (path: string, contents: string) => putFile(out, path, contents);

function tree(folder = out): string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => !fs.statSync(join(folder, path)).isDirectory() && !path.endsWith(recordName))
    .sort();
}

function problemsOf(action: () => unknown): readonly string[] {
  try {
    action();
  } catch (error) {
    if (error instanceof OutputError) return error.problems.map((problem) => problem.replaceAll(root, "ROOT"));
    throw error;
  }
  return [];
}

describe("our files", () => {
  it("are created with the folders they need", () => {
    const created = ["prod/dns/a.yaml", "prod/kustomization.yaml"];
    expect(write(files(...created))).toEqual({ created, changed: [], deleted: [], unchanged: 0, kept: [] });
    expect(fs.readFileSync(join(out, "prod/dns/a.yaml"), "utf8")).toBe(ours("prod/dns/a.yaml"));
  });

  it("are not touched if they did not change", () => {
    write(files("prod/a.yaml", "prod/b.yaml"));
    const long = new Date("2001-01-01");
    fs.utimesSync(join(out, "prod/a.yaml"), long, long);
    const { ino } = fs.statSync(join(out, "prod/a.yaml"));

    const changed = files("prod/a.yaml", "prod/b.yaml").set("prod/b.yaml", ours("new"));
    expect(write(changed)).toMatchObject({ changed: ["prod/b.yaml"], unchanged: 2 });
    expect(fs.statSync(join(out, "prod/a.yaml"))).toMatchObject({ ino, mtime: long });
    expect(fs.readFileSync(join(out, "prod/b.yaml"), "utf8")).toBe(ours("new"));
  });

  it("are replaced whole: a reader of a changing file sees the old one or the new one", () => {
    write(files("prod/a.yaml"));
    const { ino } = fs.statSync(join(out, "prod/a.yaml"));
    write(new Map([["prod/a.yaml", ours("new")]]));
    expect(fs.statSync(join(out, "prod/a.yaml")).ino).not.toBe(ino);
    expect(tree()).toEqual(["prod/a.yaml"]);
  });

  it("are those of the last writer, although another was faster between its look at them and its turn", () => {
    write(files("prod/a.yaml", "prod/b.yaml"));
    const own = files("prod/a.yaml", "prod/b.yaml").set("prod/a.yaml", ours("own"));
    const { mkdirSync: make } = fs;
    const restore = replaceInFs("mkdirSync", ((...args: Parameters<typeof make>) => {
      restore();
      write(files("prod/a.yaml", "prod/b.yaml").set("prod/b.yaml", ours("other")));
      return make(...args);
    }) as typeof make);
    expect(write(own).changed).toEqual(["prod/a.yaml", "prod/b.yaml"]);
    for (const [path, text] of own) expect(fs.readFileSync(join(out, path), "utf8")).toBe(text);
  });

  it("are deleted when stale, with the folders this leaves empty", () => {
    write(files("prod/dns/a.yaml", "prod/old/er/b.yaml", "gone/kustomization.yaml", "gone/dns/a.yaml"));
    const deleted = ["gone/kustomization.yaml", "gone/dns/a.yaml", "prod/old/er/b.yaml"];
    expect(write(files("prod/dns/a.yaml"))).toMatchObject({ deleted, unchanged: 1 });
    expect(fs.readdirSync(out)).toEqual(["prod"]);
    expect(fs.readdirSync(join(out, "prod"))).toEqual([recordName, "dns"]);
  });

  it("of clusters that were not named stay", () => {
    write(files("prod/a.yaml", "prod/b.yaml", "dev/a.yaml"));
    expect(write(files("prod/a.yaml"), { clusters: ["prod"] }).deleted).toEqual(["prod/b.yaml"]);
    expect(tree()).toEqual(["dev/a.yaml", "prod/a.yaml"]);
  });
});

describe("other files", () => {
  it("are never deleted, and keep their folders", () => {
    put("README.md", "read me");
    put("gone/a.yaml", ours("stale"));
    put("gone/notes.txt", "mine");
    put("gone/.git/deep/er/x", ours("too deep to be ours"));
    fs.symlinkSync("a.yaml", join(out, "gone/link.yaml"));
    write(files("prod/a.yaml"));
    expect(fs.readdirSync(join(out, "gone")).sort()).toEqual([".git", "link.yaml", "notes.txt"]);
    expect(fs.existsSync(join(out, "README.md"))).toBe(true);
    expect(fs.existsSync(join(out, "gone/.git/deep/er/x"))).toBe(true);
  });

  it("are not overwritten: nothing at all is written", () => {
    put("prod/b.yaml", "apiVersion: v1\n");
    put("prod/stale.yaml", ours("stale"));
    expect(problemsOf(() => write(files("prod/a.yaml", "prod/b.yaml")))).toEqual([
      "ROOT/dist/prod/b.yaml is in the way: it is none of the files that ROOT/dist/prod/cluster-dns.record lists; move it elsewhere, or delete it if cdk8s-cluster-dns wrote it",
    ]);
    expect(tree()).toEqual(["prod/b.yaml", "prod/stale.yaml"]);
  });
});

describe("files from another folder of cluster files", () => {
  const from = (clusterFile: string) => ours("theirs", clusterFile);

  it("are never deleted, whatever folder they are in, but reported", () => {
    const theirs = { "gone/a.yaml": "teama/gone.yaml", "old/a.yaml": "old.yaml", "prod/other.yaml": "teama/prod.yaml" };
    for (const [path, clusterFile] of Object.entries(theirs)) put(path, from(clusterFile));
    put("old/b.yaml", "# Generated by cdk8s-cluster-dns from somewhere\n");
    put("mine/a.yaml", from("clusters/mine.yaml"));
    put("region/a.yaml", from("clusters/eu/region.yaml"));
    expect(write(files("prod/a.yaml"))).toMatchObject({
      created: ["prod/a.yaml"],
      deleted: ["mine/a.yaml", "region/a.yaml"],
      kept: Object.entries(theirs).map(([path, clusterFile]) => ({ path, clusterFile })),
    });
  });

  it("are not overwritten: another cluster has the same name, or the folder was renamed", () => {
    put("prod/a.yaml", from("teama/prod.yaml"));
    put("prod/b.yaml", from("teama/prod.yaml"));
    expect(problemsOf(() => write(files("prod/a.yaml", "prod/b.yaml", "prod/c.yaml")))).toEqual([
      "ROOT/dist/prod was generated from teama/prod.yaml, not from a file in clusters: choose another --out or, if that file has moved, first delete ROOT/dist/prod",
    ]);
    expect(tree()).toEqual(["prod/a.yaml", "prod/b.yaml"]);
  });
});

describe("anything in the way of a folder or a file is reported, and nothing is written", () => {
  it.each<[what: string, prepare: () => void, problem: string, folder?: string]>([
    ["a file where the output folder should be", () => fs.writeFileSync(out, ""), "it is a file, not a folder"],
    ["a link that leads to nothing", () => fs.symlinkSync("a", out), "it is a symbolic link to nothing, not a folder"],
    ["a folder", () => fs.mkdirSync(join(out, "prod/a.yaml"), { recursive: true }), "it is not a file", "/prod/a.yaml"],
  ])("%s", (_, prepare, problem, where = "") => {
    prepare();
    const told = `ROOT/dist${where} is in the way: ${problem}; move it elsewhere`;
    expect(problemsOf(() => write(files("prod/a.yaml")))).toEqual([told]);
  });

  it("links, which could lead anywhere", () => {
    fs.mkdirSync(join(root, "elsewhere"));
    put("dev/a.yaml", ours("dev"));
    fs.symlinkSync("../elsewhere", join(out, "prod"));
    fs.symlinkSync("a.yaml", join(out, "dev/b.yaml"));
    expect(problemsOf(() => write(files("prod/a.yaml", "dev/b.yaml", "dev/c.yaml")))).toEqual([
      "ROOT/dist/prod is in the way: it is a symbolic link, not a folder; move it elsewhere",
      "ROOT/dist/dev/b.yaml is in the way: it is a symbolic link; move it elsewhere",
    ]);
    expect(fs.readdirSync(join(root, "elsewhere"))).toEqual([]);
    expect(fs.existsSync(join(out, "dev/c.yaml"))).toBe(false);
  });

  it("a file where the output folder's parent should be", () => {
    fs.writeFileSync(join(root, "file"), "");
    expect(problemsOf(() => write(files("prod/a.yaml"), {}, join(root, "file/dist")))).toEqual([
      "ROOT/file is in the way: it is a file, not a folder; move it elsewhere",
    ]);
  });

  it("but the output folder itself may be a link", () => {
    fs.mkdirSync(join(root, "elsewhere"));
    fs.symlinkSync("elsewhere", out);
    write(files("prod/a.yaml"));
    expect(tree(join(root, "elsewhere"))).toEqual(["prod/a.yaml"]);
  });
});
