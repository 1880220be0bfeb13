import { writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { goMemoryLimit } from "../../src/model/size/memory";
import { parseQuantity } from "../../src/model/syntax/quantity";
import { hierarchies, inCgroup, makeCgroup, removeCgroup } from "../cluster/cgroups";
import { until } from "../until";

/** A cgroup whose processes are killed if they use more memory, like those of a container. */
export class LimitedMemory {
  // Another name than a cluster's: a test ends the clusters that died, whatever runs in their cgroups.
  private readonly path = `limited-memory-${randomBytes(4).toString("hex")}`;
  readonly environment: { readonly GOMEMLIMIT: string };

  /** @param limit As in a container's resources. */
  constructor(limit: string) {
    this.environment = { GOMEMLIMIT: goMemoryLimit({ limits: { memory: limit } }) ?? "" };
    makeCgroup(this.path);
    const bytes = (parseQuantity(limit)?.nanos ?? 0n) / 1_000_000_000n;
    const memory = hierarchies().find((folder) => folder.endsWith("/memory"));
    if (memory === undefined) throw new Error("no memory hierarchy of cgroup version 1 is mounted");
    writeFileSync(`${memory}/${this.path}/memory.limit_in_bytes`, String(bytes));
  }

  inside(argv: readonly string[]): string[] {
    return inCgroup(this.path, argv);
  }

  /** Once its processes have exited. */
  remove(): Promise<unknown> {
    return until("the end of a cgroup", 30, () => Promise.resolve(removeCgroup(this.path)), 50);
  }
}
