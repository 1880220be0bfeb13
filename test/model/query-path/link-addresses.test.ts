import { expect, it } from "vitest";
import { addressesOnLink, pastCacheAddress, probeAddress } from "../../../src/model/query-path/link-addresses";

it.each([
  ["169.254.20.10", "169.254.20.11", "169.254.20.12"],
  ["fd00:169:254:20::10", "fd00:169:254:20::11", "fd00:169:254:20::12"],
  ["169.254.20.254", "169.254.20.255", "169.254.21.0"],
  ["169.254.255.255", "169.255.0.0", "169.255.0.1"],
  ["fd00::ffff", "fd00::1:0", "fd00::1:1"],
  ["255.255.255.255", "0.0.0.0", "0.0.0.1"],
])("beside %s, the link has %s for probes and %s for the way past the cache", (cache, probe, past) => {
  expect([probeAddress(cache), pastCacheAddress(cache)]).toEqual([probe, past]);
  expect(addressesOnLink(cache)).toEqual([cache, probe, past]);
});
