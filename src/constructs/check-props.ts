import type { Construct } from "constructs";
import { checkClusterDns } from "../model/check/check";
import { formatPath } from "../model/syntax/problem";
import { isSound } from "../model/check/sound";

/**
 * @throws Error that names the construct and everything that is wrong with its props.
 */
export function checkProps(construct: Construct, props: unknown, component?: string): void {
  if (isSound(props)) return;
  const problems = checkClusterDns(props);
  if (problems.length === 0) return;
  const lines = problems.map(({ path, message }) => {
    const own = path[0] === component ? path.slice(1) : path;
    return `${[construct.node.path, formatPath(own)].filter(Boolean).join(" ")}: ${message}`;
  });
  throw new Error(lines.join("\n"));
}
