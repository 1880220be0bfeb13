import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatProblem } from "../../src/config/located-problem";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { synthesize } from "../../src/output/synthesize";
import { run } from "../run";

/** The cluster's name in the repository. */
export const clusterName = "e2e";

/** A Git repository on this machine: `clusters/` with cluster files, and `dist/`. */
export class Fleet {
  constructor(readonly folder: string) {}

  get url(): string {
    return `file://${this.folder}`;
  }

  /** The folder with the cluster's manifests. */
  get manifests(): string {
    return join(this.folder, "dist", clusterName);
  }

  async create(): Promise<void> {
    mkdirSync(join(this.folder, "clusters"), { recursive: true });
    await this.git("init", "--quiet", "--initial-branch=main");
  }

  /** Renders the cluster's file anew, as a person does before a commit. */
  synth(props: ClusterDnsProps, name = clusterName): void {
    const [clustersFolder, outputFolder] = [join(this.folder, "clusters"), join(this.folder, "dist")];
    writeFileSync(join(clustersFolder, `${name}.yaml`), JSON.stringify(props));
    rmSync(outputFolder, { recursive: true, force: true });
    const result = synthesize({ clustersFolder, outputFolder });
    if ("problems" in result) throw new Error(result.problems.map(formatProblem).join("\n"));
  }

  /** Returns the revision. */
  async commit(): Promise<string> {
    await this.git("add", "--all");
    await this.git("commit", "--quiet", "--allow-empty", "--message=synth");
    return (await this.git("rev-parse", "HEAD")).trim();
  }

  async git(...args: readonly string[]): Promise<string> {
    const author = ["-c", "user.name=test", "-c", "user.email=test@fleet.test", "-c", "commit.gpgsign=false"];
    return run(["git", "-C", this.folder, ...author, ...args]);
  }
}
