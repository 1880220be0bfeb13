import { expect, it } from "vitest";
import { jumpsAsSaved, ownLines, parseSaved, withTables } from "../../../../src/model/packet-rules/iptables/saved";

const saved = (raw: string, nat: string) => `*raw\n${raw}\nCOMMIT\n*nat\n${nat}\nCOMMIT\n`;

it.each([
  ["raw", "*raw\n:NODE-LOCAL-DNS - [0:0]\nCOMMIT\n", saved(":NODE-LOCAL-DNS - [0:0]", ":B - [0:0]")],
  ["nat", "*nat\n:NODE-LOCAL-DNS - [0:0]\nCOMMIT\n", saved(":A - [0:0]", ":NODE-LOCAL-DNS - [0:0]")],
  ["neither", "", saved(":A - [0:0]", ":B - [0:0]")],
])("tables that were written again take their place, whichever they are: %s", (_, other, whole) => {
  const all = withTables(saved(":A - [0:0]", ":B - [0:0]"), other);
  expect(all).toBe(whole);
  expect(ownLines(all)).toEqual(ownLines(whole));
});

const listed = `table ip raw {
	chain PREROUTING { # handle 1
		type filter hook prerouting priority raw; policy accept;
		ct state established,related accept # handle 2
		ip daddr 169.254.20.10 udp dport 53 counter packets 7 bytes 420 jump NODE-LOCAL-DNS # handle 3
		ip daddr 169.254.20.10 tcp dport 53 counter packets 0 bytes 0 jump KUBE-SERVICES # handle 4
		counter packets 1 bytes 40 jump NODE-LOCAL-DNS-IN # handle 5
		meta mark 0x00000001 counter packets 0 bytes 0 jump NODE-LOCAL-DNS # handle 6
		udp dport 5353 counter packets 0 bytes 0 accept comment "jump NODE-LOCAL-DNS # handle 8" # handle 7
	}
}
`;

it("our jumps in a chain that only nft can list", () => {
  const jumps = jumpsAsSaved(listed, "PREROUTING");
  const counted = jumps.replaceAll(/^(.*) -c (\d+) (\d+)/gm, "[$2:$3] $1");
  expect(parseSaved(`*raw\n${counted}COMMIT\n`)[0]?.rules).toMatchObject([
    { line: "-A PREROUTING -d 169.254.20.10/32 -p udp -m udp --dport 53 -j NODE-LOCAL-DNS", packets: 7, handle: "3" },
    { line: "-A PREROUTING -j NODE-LOCAL-DNS-IN", packets: 1, handle: "5" },
    // Nothing that we write now: whatever it is, it goes.
    { line: "-A PREROUTING -m unknown -j NODE-LOCAL-DNS", handle: "6" },
  ]);
});
