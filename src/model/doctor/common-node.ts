import type { Finding } from "./finding";

/** The node that all of several errors and warnings are about, in a cluster that has others. */
export function commonNode(findings: readonly Finding[], nodes: readonly object[] = []): string | undefined {
  const failing = findings.filter(({ severity }) => severity !== "info");
  const [first = ""] = failing[0]?.nodes ?? [];
  const isThere = failing.every((finding) => finding.nodes?.join() === first);
  return failing.length > 1 && nodes.length > 1 && first !== "" && isThere ? first : undefined;
}
