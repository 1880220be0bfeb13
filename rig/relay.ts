import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** Passes TCP connections on to ports of the loopback interface. */
export abstract class Relay {
  port = 0;
  private readonly open = new Set<Socket>();
  private isSilent = false;
  private readonly server = createServer((client) => this.serve(client));

  /** Where a new connection goes. */
  protected abstract to(): number;
  /** Called with what comes from either side. */
  protected abstract passes(from: "client" | "server", to: number, bytes: number): void;

  async start(): Promise<this> {
    await once(this.server.listen(0, "127.0.0.1"), "listening");
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.open) socket.destroy();
  }

  /** From now on, it takes connections and passes nothing on. */
  fallSilent(): void {
    this.isSilent = true;
    for (const socket of this.open) socket.unpipe().resume();
  }

  private serve(client: Socket): void {
    if (this.isSilent) {
      this.open.add(client);
      client.on("error", () => client.destroy());
      client.on("close", () => this.open.delete(client));
      return;
    }
    const to = this.to();
    const server = connect(to, "127.0.0.1");
    client.on("data", (chunk) => this.passes("client", to, chunk.length));
    server.on("data", (chunk) => this.passes("server", to, chunk.length));
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

/** One to a single port, which counts what comes from there. */
export class Meter extends Relay {
  /** In bytes. */
  received = 0;

  constructor(private readonly target: number) {
    super();
  }

  protected to(): number {
    return this.target;
  }

  protected passes(from: "client" | "server", _to: number, bytes: number): void {
    if (from === "server") this.received += bytes;
  }
}
