import { join } from "node:path";

/** Starts the name of every namespace and cgroup that the rig makes. */
export const prefix = "cluster-dns-";

/** A folder for each cluster that is up. It is of the machine, not of a checkout: any checkout finds what another left. */
export const stateRoot = "/var/tmp/cluster-dns";

/** The names of what belongs to one cluster on this machine. */
export class Names {
  readonly state: string;
  readonly cgroup: string;

  constructor(readonly cluster: string) {
    if (!/^[a-z0-9][a-z0-9-]{0,30}$/.test(cluster))
      throw new Error(`cluster name: got "${cluster}", lower case letters, digits and "-" are accepted`);
    this.state = join(stateRoot, cluster);
    this.cgroup = `${prefix}${cluster}`;
  }

  /** Its network namespaces: one of the control plane, one a node. */
  namespace(member: string): string {
    return `${prefix}${this.cluster}.${member}`;
  }

  file(...path: string[]): string {
    return join(this.state, ...path);
  }
}
