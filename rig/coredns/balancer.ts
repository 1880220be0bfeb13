import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** A Service as kube-proxy makes it: each TCP connection goes to one of its pods, chosen at random, until it ends. */
export class Balancer {
  /** Ports of its pods on the loopback interface. */
  pods: readonly number[];
  /** Queries so far, by pod. */
  readonly queries = new Map<number, number>();
  port = 0;
  private readonly open = new Set<Socket>();
  private readonly server: Server = createServer((client) => this.serve(client));

  constructor(...pods: readonly number[]) {
    this.pods = pods;
  }

  async start(): Promise<this> {
    await once(this.server.listen(0, "127.0.0.1"), "listening");
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.open) socket.destroy();
  }

  private serve(client: Socket): void {
    const pod = this.pods[Math.floor(Math.random() * this.pods.length)] ?? 0;
    const server = connect(pod, "127.0.0.1");
    // A query of a test is never split: it has fewer than 512 bytes.
    client.on("data", () => this.queries.set(pod, (this.queries.get(pod) ?? 0) + 1));
    client.pipe(server).pipe(client);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.open.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        this.open.delete(socket);
        other.destroy();
      });
    }
  }
}
