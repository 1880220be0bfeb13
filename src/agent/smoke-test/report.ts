import { grouped } from "../../model/syntax/grouped";
import { printable } from "../../model/syntax/printable";
import type { Asked } from "./ask";
import type { DnsService } from "../../model/dns-service";
import { isOfCluster, nextStep } from "./next-step";

interface Findings {
  /** `pod NAME on NODE, in the pods' network`. */
  readonly from: string;
  readonly asked: readonly Asked[];
  /** Questions that were not asked, because their server answers nothing. */
  readonly notAsked: number;
  /** Which servers are a cache's own addresses. */
  readonly linkLocal: readonly string[];
  /** Where the cluster's DNS is, if it is not ours. */
  readonly dnsService?: Pick<DnsService, "namespace" | "name" | "selector"> | undefined;
  /** What is worth knowing, but is no failure. */
  readonly notes: readonly string[];
}

/** The report, a line each. The finding is last: it is what a pod's status and Argo CD show. */
export function report(findings: Findings): string[] {
  // A server may answer with anything: it shall write no lines of its own, and nothing that a terminal follows.
  return linesOf(findings).map((each) => printable(each).replaceAll("\n", "\\n"));
}

function linesOf({ from, asked, notAsked, linkLocal, dnsService, notes }: Findings): string[] {
  const wrong = asked.filter(({ isRight }) => !isRight);
  const right = asked.filter((each) => each.isRight && isOfCluster(each));
  const steps = grouped(wrong, (each) => {
    const { server } = each.way;
    const isRightElsewhere = right.some(({ way }) => way.server === server);
    return nextStep(each, { isLinkLocal: linkLocal.includes(server), isRightElsewhere, dnsService });
  });
  const head = [`smoke test from ${from}`, ...notes.map((note) => `note: ${note}`)];
  if (wrong.length === 0) return [...head, `smoke test passed: ${asked.length} answers are right`];
  const skipped = notAsked > 0 ? `, and ${notAsked} more questions were not asked` : "";
  return [
    ...head,
    ...steps.flatMap(([step, ofStep]) => [
      ...ofStep.map((each) => `failed: ${line(each)}, expected ${each.expected}`),
      `next: ${step}`,
    ]),
    `smoke test failed: ${wrong.length} of ${asked.length} answers are wrong${skipped}; first: ${line(wrong[0])}`,
  ];
}

function line(asked: Asked | undefined): string {
  if (!asked) return "";
  const { way, question, got } = asked;
  return `${way.server} ${way.protocol} ${question.type} ${question.name}: got ${got}`;
}

/** The end of a report that fits into so many bytes, in whole lines. Steps count more than one of many failed questions. */
export function ending(lines: readonly string[], bytes: number): string {
  const size = (some: readonly string[]) => Buffer.byteLength(some.join("\n"));
  const kept = [...lines];
  let left = 0;
  const mark = () => (left === 0 ? [] : [`(${left} lines more in the log)`]);
  while (size([...mark(), ...kept]) > bytes && kept.length > 1) {
    const failed = kept.findIndex((each) => each.startsWith("failed: "));
    kept.splice(Math.max(failed, 0), 1);
    left++;
  }
  return [...mark(), ...kept].join("\n");
}
