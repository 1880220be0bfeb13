import type { Finding } from "./finding";

const fewest = 4;

/** Many missing objects are one finding: of a cluster to which nothing was applied, all are. */
export function together(findings: readonly Finding[]): Finding[] {
  const missing = findings.filter(isMissing);
  return findings.flatMap((finding): Finding[] => {
    const same = missing.filter(({ severity }) => severity === finding.severity);
    if (!isMissing(finding) || same.length < fewest) return [finding];
    if (finding !== same[0]) return [];
    const next = same.map((each) => each.next);
    return [
      {
        severity: finding.severity,
        title: "are missing",
        where: `${same.length} objects`,
        evidence: [
          `the cluster file renders them, the cluster does not have them: ${same.map(({ where }) => where).join(", ")}`,
        ],
        next: (next[0] ?? []).filter((command) => next.every((commands) => commands.includes(command))),
      },
    ];
  });
}

function isMissing({ title }: Finding): boolean {
  return title === "is missing";
}
