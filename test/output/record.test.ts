import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { headerLine } from "../../src/output/header";
import { findOwnFiles } from "../../src/output/own-files";
import { announce, readRecord, recordName, withRecord } from "../../src/output/record";
import { emptyFolder, putFile } from "../temporary-folder";

const out = emptyFolder("record");

const clusterFile = "clusters/prod.yaml";
const description = { clusterDNS: ["10.96.0.10"], annotations: { note: "<<<<<<< a\n=======\n" } };

const put = (path: string, text: string) => putFile(out, path, text);
function textOf(...files: string[]): string {
  const all = new Map(files.map((path) => [`prod/${path}`, ""]));
  return withRecord(all, { cluster: "prod", clusterFile, description }).get(`prod/${recordName}`) ?? "";
}

const putRecord = (text: string) => put(`prod/${recordName}`, text);

describe("the record of a cluster", () => {
  it("is read as it was written, with Windows' line ends too", () => {
    const record = { cluster: "prod", clusterFile, description, files: ["dns/a.yaml", "kustomization.yaml"] };
    for (const text of [textOf(...record.files), textOf(...record.files).replaceAll("\n", "\r\n")]) {
      putRecord(text);
      expect(readRecord(out, "prod")).toMatchObject(record);
    }
  });

  it.each([
    ["another format", textOf("a.yaml").replace('"version": 1', '"version": 2')],
    ["half of it", textOf("a.yaml").slice(0, 150)],
    ["no files", textOf("a.yaml").replace('"files"', '"flies"')],
    ["a file outside", textOf("../../etc/passwd")],
    ["a file outside, as Windows writes it", textOf("..\\..\\boot.ini")],
    ["a file of the whole system", textOf("/etc/passwd")],
  ])("is none with %s", (_, text) => {
    putRecord(text);
    expect(readRecord(out, "prod")).toBe(undefined);
  });

  it("says what is ours, whatever the files begin with, as far as they are there", () => {
    put("prod/ours.yaml", "<<<<<<< ours\n");
    put("prod/theirs.yaml", headerLine(clusterFile));
    putRecord(textOf("ours.yaml", "gone.yaml"));
    expect(findOwnFiles(out, [])).toEqual([
      { path: "prod/ours.yaml", clusterFile },
      { path: `prod/${recordName}`, clusterFile },
    ]);
  });

  it.each(["", "||||||| base\nx\n"])("in a merge conflict has the files of both sides, and no description", (base) => {
    const conflict = `<<<<<<< ours\n    "b.yaml"\n${base}=======\n    "c.yaml"\n>>>>>>> theirs\n`;
    putRecord(textOf("a.yaml", "b.yaml").replace('    "b.yaml"\n', conflict));
    const found = readRecord(out, "prod");
    expect(found).toMatchObject({ clusterFile, files: ["a.yaml", "b.yaml", "c.yaml"] });
    expect(found?.description).toBe(undefined);
  });

  it.each([
    ["is missing, as earlier versions wrote none", undefined],
    ["cannot be read", "{"],
  ])("gives way to first lines if it %s", (_, text) => {
    put("prod/ours.yaml", headerLine(clusterFile));
    put("prod/mine.yaml", "kind: Service\n");
    if (text !== undefined) putRecord(text);
    const paths = findOwnFiles(out, []).map(({ path }) => path);
    expect(paths).toEqual(["prod/ours.yaml", ...(text === undefined ? [] : [`prod/${recordName}`])]);
  });
});

describe("before files move into place", () => {
  const stage = (text: string) => put(`.staged/prod/${recordName}`, text);
  const announced = (deleted: string[]) => {
    announce(join(out, ".staged"), out, deleted);
    return readRecord(out, "prod");
  };

  it("the record lists what comes, and what leaves, with the old description", () => {
    putRecord(textOf("a.yaml", "old.yaml").replace("10.96.0.10", "10.96.0.53"));
    stage(textOf("a.yaml", "new.yaml"));
    const other = { clusterDNS: ["10.96.0.53"] };
    const record = announced(["prod/old.yaml", "other/old.yaml"]);
    expect(record).toMatchObject({ files: ["a.yaml", "new.yaml", "old.yaml"], description: other });
    expect(readRecord(join(out, ".staged"), "prod")?.files).toEqual(["a.yaml", "new.yaml"]);
  });

  it("a folder of an earlier version gets a record of all that it has", () => {
    put("prod/old.yaml", headerLine(clusterFile));
    stage(textOf("new.yaml"));
    expect(announced(["prod/old.yaml"])?.files).toEqual(["new.yaml", "old.yaml"]);
  });

  it.each([
    ["if no file comes or leaves", textOf("a.yaml")],
    ["in a new folder, which moves as a whole", undefined],
  ])("nothing is written %s", (_, old) => {
    if (old !== undefined) putRecord(old);
    stage(textOf("a.yaml"));
    announced([]);
    const path = join(out, "prod", recordName);
    expect(existsSync(path) ? readFileSync(path, "utf8") : undefined).toBe(old);
  });
});
