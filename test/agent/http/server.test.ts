import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { describe, expect, test, type TestContext } from "vitest";
import { serve } from "../../../src/agent/http/server";
import { until } from "../../../rig/until";

const endpoints = { metrics: async () => "up 1\n", unhealthy: () => undefined, unready: () => undefined };

/** A server that ends with its test, and its port. */
async function serving(
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  offered: Parameters<typeof serve>[1] = endpoints,
  complain: (why: string) => void = () => {},
  wanted = 0,
) {
  const server = serve({ port: wanted, address: "127.0.0.1" }, offered, complain);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  if (wanted === 0) await once(server, "listening");
  return { server, port: wanted || (server.address() as AddressInfo).port };
}

// They wait for seconds, and do so beside each other.
describe.concurrent("the server of metrics and health", () => {
  test("reports a port that is taken, and serves it as soon as it is free", async (context) => {
    const other = net.createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const complaints: string[] = [];
    await serving(context, endpoints, (why) => complaints.push(why), port);
    await until("the complaint", 30, async () => complaints.length > 0);
    expect(complaints[0]).toContain(`metrics: port ${port} of 127.0.0.1 is taken by another program`);
    other.close();
    await until("up 1", 30, async () => (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()) === "up 1\n");
  });

  test("does what a path stands for, only where it is served", async (context) => {
    let done = 0;
    const commands = { "/do": () => void done++ };
    const [some, none] = [await serving(context, { ...endpoints, commands }), await serving(context)];
    const statusOf = async ({ port }: typeof some, path: string) =>
      (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    expect([await statusOf(some, "/do?x"), await statusOf(some, "/toString")]).toEqual([200, 404]);
    expect([await statusOf(none, "/do"), done]).toEqual([404, 1]);
  });

  test("idle connections cannot lock out other clients", async (context) => {
    const { port } = await serving(context);
    const connect = () => net.connect(port, "127.0.0.1").on("error", () => undefined);
    const idle = Array.from({ length: 200 }, () => connect().resume());
    context.onTestFinished(() => idle.forEach((socket) => socket.destroy()));
    await until("the oldest to be closed", 10, async () => idle.filter(({ destroyed }) => destroyed).length >= 168);
    expect(await (await fetch(`http://127.0.0.1:${port}/healthz`)).text()).toBe("ok\n");
    // Silent connections do not stay open either.
    await until("the others to be closed", 10, async () => idle.every(({ destroyed }) => destroyed));
  });

  test.for(["Host: x", "X: no host", "Expect: x", "Expect: 100-continue"])(
    "answers one request a connection with %s: of those sent along with it, none",
    async (head, context) => {
      let asked = 0;
      const metrics = async () => `${++asked}\n`;
      const { port } = await serving(context, { ...endpoints, metrics });
      const socket = net.connect(port, "127.0.0.1").on("error", () => undefined);
      const closed = once(socket, "close");
      let sent = "";
      socket.on("data", (data: Buffer) => (sent += data.toString()));
      socket.write(`GET /metrics HTTP/1.1\r\n${head}\r\n\r\n`.repeat(1000));
      await closed;
      expect(asked).toBe(1);
      expect(sent.split("HTTP/1.1 ").length - 1).toBeLessThan(2);
    },
  );

  test("reports an error while accepting, and carries on", async (context) => {
    const complaints: string[] = [];
    const { server, port } = await serving(context, endpoints, (why) => complaints.push(why));
    for (const code of ["EMFILE", "EMFILE"]) server.emit("error", Object.assign(new Error(`accept ${code}`), { code }));
    expect(complaints).toEqual(["metrics: port 0 of 127.0.0.1: EMFILE", "metrics: port 0 of 127.0.0.1: EMFILE"]);
    expect(await (await fetch(`http://127.0.0.1:${port}/readyz`)).text()).toBe("ok\n");
  });
});
