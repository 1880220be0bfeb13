import { expect, test } from "vitest";
import { boundTo, inodesOf, longestQueue, stillStanding } from "../../../src/agent/watchdog/receive-queues";

// As a little-endian machine prints them: two caches on one address, one of them hung; a client of it; a server on every
// address; another port; and the cache's socket for IPv6.
const table = `   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
 6655: 0A14FEA9:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 212405 2 0000000054295d1b 0
 6655: 0A14FEA9:0035 00000000:0000 07 00000000:00033F40 00:00000000 00000000     0        0 212406 2 0000000054295d1c 12
 6655: 00000000:0035 00000000:0000 07 00000000:000009C0 00:00000000 00000000     0        0 212407 2 0000000054295d1d 0
 6656: 0A14FEA9:0036 00000000:0000 07 00000000:000009C0 00:00000000 00000000     0        0 212408 2 0000000054295d1e 0
 6657: 0A00600A:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 212409 2 0000000054295d1f 0
13846: 0B14FEA9:9C4C 0A14FEA9:0035 01 00000000:00000300 00:00000000 00000000     0        0 212410 2 000000002fde59a2 0
`;
const table6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
 6655: 690100FD000054020000000010000000:0035 00000000000000000000000000000000:0000 07 00000000:00000300 00:00000000 00000000     0        0 212406 2 00000000789c0785 0
`;

test.each([
  ["several sockets, of which the longest queue counts", table, "169.254.20.10", 0x33f40, ["212405", "212406"]],
  ["an empty queue", table, "10.96.0.10", 0, ["212409"]],
  ["no socket for the address", table, "169.254.20.11", undefined, []],
  ["IPv6", table6, "fd00:169:254::10", 0x300, ["212406"]],
])("the kernel's table of UDP sockets: %s", (_what, given, address, queue, inodes) => {
  expect(longestQueue(given, boundTo(address))).toBe(queue);
  expect([...inodesOf(given, boundTo(address))]).toEqual(inodes);
});

test.each([
  ["as long as before: nobody reads it", 768, 768, true],
  ["longer", 768, 1536, true],
  ["gone both times", Infinity, Infinity, true],
  ["shorter: somebody reads it", 1536, 768, false],
  ["empty by now", 768, 0, false],
  ["empty before", 0, 768, false],
])("a queue that is %s", (_what, before, now, stands) => expect(stillStanding(before, now) > 0).toBe(stands));
