import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repositoryRoot } from "../rig/repository";

const textOf = (folder: string) =>
  readdirSync(join(repositoryRoot, folder))
    .map((file) => readFileSync(join(repositoryRoot, folder, file), "utf8"))
    .join("\n");

/** A title alone, or one of two by a condition; those of pods by the reason that the kubelet gives, and a constant. */
const titles = [
  /\btitle:(?:[^,;{}\n]*\s\?)?\s*("[^"]+"|`[^`]+`)(?:\s:\s("[^"]+"))?/g,
  /^(?: {2}[A-Z]\w+:|export const outOfMemory =) ("[^"]+")/gm,
].flatMap((naming) => [...textOf("src/model/doctor").matchAll(naming)].flatMap(([, ...found]) => found));

/** Up to what differs from cluster to cluster. */
const known = new Set(titles.flatMap((title) => title?.slice(1, -1).split("${")[0] ?? []));

it("provokes every finding on the real cluster, but those that docs/doctor.md names", () => {
  for (const title of [
    "is missing",
    "no pod of ",
    "cannot pull its image",
    "was killed because it needed more memory than its limit",
    "trusts no certificate",
  ])
    expect(known).toContain(title);
  const tests = textOf("test/e2e/cases/doctor");
  const [, page = ""] = readFileSync(join(repositoryRoot, "docs/doctor.md"), "utf8").split("## Not run on a cluster");
  const listed = [...page.matchAll(/^- "([^"]+)"/gm)].map(([, title]) => title);
  expect([...known].filter((title) => !tests.includes(title)).toSorted()).toEqual(listed.toSorted());
});
