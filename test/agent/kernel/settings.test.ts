import { expect, it } from "vitest";
import { unfitSettings } from "../../../src/agent/kernel/settings";
import { emptyFolder, putFile } from "../../temporary-folder";

const fit = {
  "net/ipv4/ip_forward": "1",
  "net/ipv6/conf/all/forwarding": "1",
  "net/ipv4/ip_local_port_range": "32768\t60999",
  "net/netfilter/nf_conntrack_max": "262144",
  "net/netfilter/nf_conntrack_count": "1200",
};

const root = emptyFolder("sysctl");

it.each([
  ["all as usual", {}, []],
  ["pods' packets are not forwarded", { "net/ipv4/ip_forward": "0" }, [["net.ipv4.ip_forward", "0"]]],
  ["the same of a family that the cluster does not have", { "net/ipv6/conf/all/forwarding": "0" }, []],
  ["few ports", { "net/ipv4/ip_local_port_range": "60000\t60099" }, [["net.ipv4.ip_local_port_range", "60000 60099"]]],
  ["no room", { "net/netfilter/nf_conntrack_count": "262100" }, [["net.netfilter.nf_conntrack_max", "262144"]]],
  ["no limit of connections", { "net/netfilter/nf_conntrack_max": "0" }, []],
])("%s", (_what, change, unfit) => {
  for (const [file, text] of Object.entries({ ...fit, ...change })) putFile(root, file, `${text}\n`);
  const found = unfitSettings(new Set(["IPv4"]), root);
  expect(found.map(({ setting, value }) => [setting, value])).toEqual(unfit);
});

it("a kernel without these files", () => expect(unfitSettings(new Set(["IPv4", "IPv6"]), root)).toEqual([]));
