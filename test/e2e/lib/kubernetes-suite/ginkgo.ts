import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Finished, RunOptions } from "../../../../rig/run";
import { tool } from "../../../../rig/tools";

/** What became of a case. */
export interface CaseReport {
  readonly name: string;
  /** As ginkgo calls it: passed, failed, skipped ... */
  readonly state: string;
  /** Why it did not pass, and what it said last. */
  readonly why: string;
}

type Attempt = (argv: readonly string[], options?: RunOptions) => Promise<Finished>;

/**
 * Has ginkgo run the suite, and returns what it reports of each selected case.
 *
 * @param attempt Runs the command, where it reaches the cluster.
 * @param ofSuite Flags of the suite itself.
 */
export async function ginkgo(
  attempt: Attempt,
  ofGinkgo: readonly string[],
  ofSuite: readonly string[],
): Promise<CaseReport[]> {
  const folder = mkdtempSync(join(tmpdir(), "kubernetes-suite-"));
  try {
    const flags = ["--json-report=report.json", `--output-dir=${folder}`, "--silence-skips", ...ofGinkgo];
    const suite = [tool("kubernetes-suite", "e2e.test"), "--", `--e2e-output-dir=${folder}`, ...ofSuite];
    const { stdout, stderr } = await attempt([tool("kubernetes-suite", "ginkgo"), "run", ...flags, ...suite], {
      timeoutSeconds: 1800,
    });
    return casesOf(readReport(join(folder, "report.json"), `${stdout}\n${stderr}`));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message?: string };
  readonly CapturedGinkgoWriterOutput?: string;
}

function readReport(file: string, printed: string): SpecReport[] {
  try {
    const suites = JSON.parse(readFileSync(file, "utf8")) as readonly { readonly SpecReports: SpecReport[] | null }[];
    return suites.flatMap(({ SpecReports }) => SpecReports ?? []);
  } catch (error) {
    throw new Error(`ginkgo wrote no report, but printed:\n${tail(printed)}`, { cause: error });
  }
}

/** Without those that were not selected: a case that skips itself says why. */
function casesOf(specs: readonly SpecReport[]): CaseReport[] {
  const broken = specs.filter(({ LeafNodeType, State }) => LeafNodeType !== "It" && State !== "passed");
  if (broken.length > 0) throw new Error(`the suite itself failed:\n${broken.map(whyOf).join("\n")}`);
  return specs
    .filter(({ LeafNodeType, State, Failure }) => LeafNodeType === "It" && (State !== "skipped" || Failure?.Message))
    .map((spec) => ({
      name: [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(" "),
      state: spec.State,
      why: spec.State === "passed" ? "" : whyOf(spec),
    }));
}

function whyOf({ Failure, CapturedGinkgoWriterOutput = "" }: SpecReport): string {
  return `${Failure?.Message ?? ""}\n${tail(CapturedGinkgoWriterOutput)}`;
}

function tail(text: string): string {
  return text.split("\n").slice(-40).join("\n");
}
