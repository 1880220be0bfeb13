import type { Finished, RunOptions } from "../run";
import type { Kubectl, KubernetesObject } from "./kubectl";
import type { ClusterNode } from "./node";

/**
 * A running pod. The machine's commands run in its network namespace, with its resolv.conf, hosts and host name: images
 * need no tools.
 */
export class Pod {
  constructor(
    readonly name: string,
    readonly namespace: string,
    readonly node: ClusterNode,
    readonly address: string,
    readonly uid: string,
  ) {}

  async exec(argv: readonly string[], options?: RunOptions): Promise<string> {
    return this.node.exec(this.inside(argv), options);
  }

  async attempt(argv: readonly string[], options?: RunOptions): Promise<Finished> {
    return this.node.attempt(this.inside(argv), options);
  }

  /** The command as this process can run it, for commands that run in the background. */
  command(argv: readonly string[]): string[] {
    return this.node.command(this.inside(argv));
  }

  /**
   * Makes its node forget the pod's flows: the kernel keeps sending packets from a known port to the same destination.
   */
  async forgetFlows(): Promise<void> {
    await this.node.attempt(["conntrack", "--delete", "--proto", "udp", "--orig-src", this.address]);
  }

  /** As seen from the node, where a pod's processes have other pids than outside. */
  private inside(argv: readonly string[]): string[] {
    // copies, because a mount from another mount namespace cannot be bound
    const enter = `mount -t tmpfs tmpfs /run/pod-files || exit
      for file in resolv.conf hosts; do
        cp "/proc/$1/root/etc/$file" /run/pod-files/ && mount --bind "/run/pod-files/$file" "/etc/$file" || exit
      done
      shift
      exec "$@"`;
    const pid = String(this.node.podPid(this.uid));
    return ["nsenter", "-t", pid, "--net", "--uts", "--", "unshare", "--mount", "sh", "-c", enter, "sh", pid, ...argv];
  }
}

interface PodObject extends KubernetesObject {
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly podIP?: string };
}

export async function findPod(
  kubectl: Kubectl,
  nodes: readonly ClusterNode[],
  name: string,
  namespace: string,
): Promise<Pod> {
  const pod = await kubectl.get<PodObject>("pod", name, namespace);
  const node = nodes.find((each) => each.name === pod?.spec.nodeName);
  if (pod === undefined || node === undefined) throw new Error(`no pod ${namespace}/${name} on a node of this cluster`);
  return new Pod(name, namespace, node, pod.status.podIP ?? "", pod.metadata.uid ?? "");
}
