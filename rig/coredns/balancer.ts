import { Relay } from "../relay";

/** A Service as kube-proxy makes it: each TCP connection goes to one of its pods, chosen at random, until it ends. */
export class Balancer extends Relay {
  /** Ports of its pods on the loopback interface. */
  pods: readonly number[];
  /** Queries so far, by pod. */
  readonly queries = new Map<number, number>();

  constructor(...pods: readonly number[]) {
    super();
    this.pods = pods;
  }

  protected to(): number {
    return this.pods[Math.floor(Math.random() * this.pods.length)] ?? 0;
  }

  // A query of a test is never split: it has fewer than 512 bytes.
  protected passes(from: "client" | "server", pod: number): void {
    if (from === "client") this.queries.set(pod, (this.queries.get(pod) ?? 0) + 1);
  }
}
