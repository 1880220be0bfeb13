import { execFileSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { putFile, temporaryFolder } from "../temporary-folder";
import { readText } from "../repository";

const [, script = ""] = /^```bash\n(# ci\/changed-clusters\.sh[^]*?)^```$/m.exec(readText("docs/fleets.md")) ?? [];
const repository = temporaryFolder("fleet");

function git(...args: string[]): void {
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example", ...args], { cwd: repository });
}

const write = (path: string, text = "x") => putFile(repository, path, text);

beforeAll(() => {
  git("init", "--quiet", "--initial-branch=main", ".");
  for (const path of ["a", "b", "eu/p", "eu/q"]) {
    write(`clusters/${path}.yaml`, path);
    write(`dist/${path.replace("eu/", "")}/kustomization.yaml`, path);
  }
  git("add", "--all");
  git("commit", "--quiet", "--message=a");
});

// A job of CI that leaves out a cluster which changes would pass.
it.each<[what: string, edit: () => void, names: string[]]>([
  [
    "a cluster file, a new one, and manifests; not one that is deleted, which names cannot check",
    () => {
      write("README.md");
      write("clusters/a.yaml");
      write("clusters/us/c.yaml");
      write("clusters/us/d.cluster-dns.yaml");
      write("dist/q/kustomization.yaml");
      rmSync(join(repository, "clusters/b.yaml"));
    },
    ["a", "c", "d", "q"],
  ],
  ["one moves", () => renameSync(join(repository, "clusters/a.yaml"), join(repository, "clusters/eu/a.yaml")), ["a"]],
  ["what a folder shares", () => write("clusters/eu/_defaults.cluster-dns.yaml"), ["p", "q"]],
  ["what all share", () => write("clusters/_defaults.yaml"), ["a", "b", "p", "q"]],
  ["the version", () => write("package-lock.json"), ["a", "b", "p", "q"]],
])("docs/fleets.md names the clusters that a branch may change: %s", (_, edit, names) => {
  git("checkout", "--quiet", "-B", "branch", "main");
  edit();
  git("add", "--all");
  git("commit", "--quiet", "--message=b");
  const printed = execFileSync("bash", ["-c", script, "x.sh", "main"], { cwd: repository, encoding: "utf8" });
  expect(printed.split("\n").filter(Boolean)).toEqual(names);
});
