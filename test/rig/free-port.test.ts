import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { freePorts } from "../../rig/free-port";

it("processes beside each other are given other ports, whichever asks when", async () => {
  const [one, another] = [freePorts(), freePorts()];
  const given = await Promise.all(Array.from({ length: 20 }, () => [one(), another()]).flat());
  expect(new Set(given).size).toBe(given.length);
});

it("a port that a program has, over UDP alone, is given to no other", async () => {
  const next = freePorts();
  const taken = (await next()) + 1;
  const socket = createSocket("udp4").bind(taken);
  onTestFinished(() => void socket.close());
  await once(socket, "listening");
  expect(await next()).not.toBe(taken);
});

it("each port is one that fetch connects to", async () => {
  const next = freePorts();
  const given = await Promise.all(Array.from({ length: 500 }, next));
  // https://fetch.spec.whatwg.org/#bad-port
  expect(Math.min(...given)).toBeGreaterThan(10_080);
});
