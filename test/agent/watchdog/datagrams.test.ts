import dgram from "node:dgram";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createDatagramCount } from "../../../src/agent/watchdog/datagrams";

const onLoopback = { IPv4: ["udp4", "127.0.0.1"], IPv6: ["udp6", "::1"] } as const;

const families = (["IPv4", "IPv6"] as const).filter(
  (family) =>
    existsSync("/proc/net/snmp") && (family === "IPv4" || readFileSync("/proc/net/if_inet6", "utf8").includes(" lo")),
);

// Skipped where the kernel is not Linux.
test.skipIf(families.length === 0).each(families)(
  "counts the datagrams over %s that a program reads",
  async (family) => {
    const [type, address] = onLoopback[family];
    const socket = dgram.createSocket(type).bind(0, address);
    await once(socket, "listening");
    const count = createDatagramCount([family]);
    count();
    for (let i = 0; i < 20; i++) {
      socket.send("asked", socket.address().port, address);
      await once(socket, "message");
    }
    socket.close();
    expect(count()).toBeGreaterThanOrEqual(20);
  },
);
