import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** Passes TCP connections on to a port of the loopback interface, and counts their bytes. */
export class Relay {
  /** What came from there. */
  received = 0;
  port = 0;
  private readonly open = new Set<Socket>();
  private readonly server = createServer((client) => this.serve(client));

  constructor(private readonly to: number) {}

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
    const server = connect(this.to, "127.0.0.1");
    server.on("data", (chunk) => (this.received += chunk.length));
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
