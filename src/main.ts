// The cdk8s app: `npx cdk8s synth` writes what `npx cdk8s-cluster-dns synth` writes, but deletes its output folder first.
import { formatNote, formatProblem } from "./config/located-problem";
import { synthesize } from "./output/synthesize";

const result = synthesize({ clustersFolder: "clusters", outputFolder: process.env["CDK8S_OUTDIR"] ?? "dist" });
if ("problems" in result) {
  process.stderr.write(result.problems.map((problem) => `${formatProblem(problem)}\n`).join(""));
  process.exitCode = 1;
} else {
  process.stderr.write(result.notes.map((note) => `${formatNote(note)}\n`).join(""));
}
