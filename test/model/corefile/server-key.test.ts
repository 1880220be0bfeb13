import { expect, it } from "vitest";
import { parseKey, zonesOf } from "../../../src/model/corefile/server-key";

// plugin/pkg/cidr: a zone ends at an octet, or at a hexadecimal digit of IPv6.
it.each<[zone: string, zones: string[]]>([
  [".", ["."]],
  ["A.Example.", ["a.example"]],
  ["10.0.0.0/8", ["10.in-addr.arpa"]],
  ["10.1.2.0/24", ["2.1.10.in-addr.arpa"]],
  ["10.1.2.3/32", ["3.2.1.10.in-addr.arpa"]],
  ["172.16.0.0/14", ["16", "17", "18", "19"].map((each) => `${each}.172.in-addr.arpa`)],
  ["10.1.5.0/23", ["4", "5"].map((each) => `${each}.1.10.in-addr.arpa`)],
  ["fd00::/8", ["d.f.ip6.arpa"]],
  ["fd00:10::/30", ["0", "1", "2", "3"].map((each) => `${each}.1.0.0.0.0.d.f.ip6.arpa`)],
])("the zones of %s", (zone, zones) => expect(zonesOf(zone)).toEqual(zones));

it.each([
  ["corp.example", { zone: "corp.example", port: 53, transport: "dns" }],
  ["tls://corp.example", { zone: "corp.example", port: 853, transport: "tls" }],
  ["grpc://:5353", { zone: ".", port: 5353, transport: "grpc" }],
  ["http://corp.example", undefined],
  ["dns://tls://corp.example", undefined],
])("the key %s", (text, key) => expect(parseKey(text)).toEqual(key));
