import { expect, test } from "vitest";
import {
  readClients,
  readCounts,
  readLinkLocalPackets,
  readSwitches,
} from "../../../../src/model/packet-rules/iptables/readings";

// As iptables-nft-save -c prints it.
const saved = `*raw
:PREROUTING ACCEPT [90:5400]
:NODE-LOCAL-DNS - [0:0]
[9:540] -A PREROUTING -d 169.254.20.10/32 -p udp -m udp --dport 53 -j NODE-LOCAL-DNS
[30:1800] -A PREROUTING -d 10.96.0.10/32 -p udp -m udp --dport 53 -j NODE-LOCAL-DNS
[7:420] -A NODE-LOCAL-DNS -d 169.254.20.10/32 -p udp -m udp --dport 53 -m socket -m addrtype --dst-type LOCAL -j NOTRACK
[20:1200] -A NODE-LOCAL-DNS -d 10.96.0.10/32 -p udp -m udp --dport 53 -m socket -m addrtype --dst-type LOCAL -j NOTRACK
COMMIT
*mangle
:INPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:NODE-LOCAL-DNS-IN - [0:0]
:NODE-LOCAL-DNS-POST - [0:0]
[8:480] -A NODE-LOCAL-DNS-IN -d 10.96.0.10/32 ! -i lo -p udp -m udp --dport 53 -m length --length 45:65535 -m hashlimit --hashlimit-above 100/sec --hashlimit-burst 100 --hashlimit-mode srcip --hashlimit-name node-local-dns-100 --hashlimit-htable-max 65536 --hashlimit-htable-expire 5000 -j DROP
[20:1200] -A NODE-LOCAL-DNS-IN -d 10.96.0.10/32 ! -i lo -p udp -m udp --dport 53 -m length --length 45:65535 -m conntrack --ctstate UNTRACKED -m recent --set --name NODE-LOCAL-DNS-asked-udp-10.96.0.10 --mask 255.255.255.255 --rsource
[5:300] -A POSTROUTING -j NODE-LOCAL-DNS-POST
[19:1900] -A NODE-LOCAL-DNS-POST -s 10.96.0.10/32 ! -o lo -p udp -m udp --sport 53 -m conntrack --ctstate UNTRACKED -m recent --set --name NODE-LOCAL-DNS-answered-udp-10.96.0.10 --mask 255.255.255.255 --rdest
COMMIT
`;
const udp = { address: "10.96.0.10", protocol: "udp" } as const;
const tcp = { address: "10.96.0.10", protocol: "tcp" } as const;

test("a switch is on while its rule exists", () => {
  expect(readSwitches(saved, [udp, tcp])).toEqual([udp]);
  expect(readSwitches("*raw\n:PREROUTING ACCEPT [0:0]\nCOMMIT\n", [udp, tcp])).toBeUndefined();
});

test("clients are those in a list of xt_recent, with the time of the last packet", () => {
  const list = `src=10.244.1.2 ttl: 63 last_seen: 4298321234 oldest_pkt: 2 4298321200, 4298321234
src=fd00:0244:0001:0000:0000:0000:0000:0002 ttl: 63 last_seen: 4298321250 oldest_pkt: 1 4298321250
`;
  expect([...readClients(list)]).toEqual([
    ["10.244.1.2", "4298321234"],
    ["fd00:0244:0001:0000:0000:0000:0000:0002", "4298321250"],
  ]);
});

test("requests are what reached the cache, replies what left the node untracked", () => {
  expect(readCounts(saved, udp)).toEqual({ requests: 20, replies: 19, limited: 8 });
  expect(readCounts(saved, tcp)).toEqual({ requests: 0, replies: 0, limited: 0 });
});

test("packets to a link-local address are counted before it is decided who gets them", () => {
  expect(readLinkLocalPackets(saved, ["169.254.20.10"])).toBe(9);
});
