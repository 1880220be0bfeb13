import { join } from "node:path";

/** Prefix of every namespace and cgroup that the rig creates. */
export const prefix = "cluster-dns-";

/**
 * One folder per running cluster. It belongs to the machine, not to a checkout, so any checkout finds what another
 * left.
 */
export const stateRoot = "/var/tmp/cluster-dns";

/** The names of what belongs to one cluster on this machine. */
export class Names {
  readonly state: string;
  readonly cgroup: string;

  constructor(readonly cluster: string) {
    if (!/^[a-z0-9][a-z0-9-]{0,30}$/.test(cluster))
      throw new Error(`cluster name: got "${cluster}", accepted: lower case letters, digits and "-"`);
    this.state = join(stateRoot, cluster);
    this.cgroup = `${prefix}${cluster}`;
  }

  /** Its network namespaces: one for the control plane, one per node. */
  namespace(member: string): string {
    return `${prefix}${this.cluster}.${member}`;
  }

  file(...path: string[]): string {
    return join(this.state, ...path);
  }
}
