import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { nodeRules } from "../../../src/agent/kernel/node-rules";
import { setName } from "../../../src/model/packet-rules/nft/names";
import { cached, componentOf } from "../../cached";
import { emptyFolder } from "../../temporary-folder";

const folder = emptyFolder("nft");

beforeEach(() => {
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
  const answer =
    '*"list table"*) cat "$0.table" 2> /dev/null || { echo "No such file or directory" >&2; exit 1; };; *-i*) cat "$0.listed";; *list*) echo "No such file or directory" >&2; exit 1;; *) cat > /dev/null;;';
  writeFileSync(join(folder, "nft"), `#!/bin/sh\ncase "$*" in ${answer} esac\n`, { mode: 0o755 });
});

afterEach(() => void vi.unstubAllEnvs());

const { filter, ruleSet } = nodeRules(componentOf("watchdog", cached).config);
const chains = ruleSet.packetFilter === "nftables" ? ruleSet.chains : [];
const whole = [
  ...chains.flatMap(({ hook, stage, rules }) => [
    { chain: { name: `${hook}-${stage}` } },
    ...rules.map((_, number) => ({ rule: { chain: `${hook}-${stage}`, number } })),
  ]),
  ...(["IPv4", "IPv6"] as const).flatMap((family) =>
    (["pods", "host"] as const).map((name) => ({ set: { name: setName(name, family) } })),
  ),
];
const without = (kind: string) => whole.filter((each) => each !== whole.find((one) => kind in one));

it.each<[string, object[], boolean]>([
  ["everything", whole, true],
  ["all but a rule", without("rule"), false],
  ["all but a chain", without("chain"), false],
  ["all but a set", without("set"), false],
  ["nothing", [], false],
])("after a write, nft lists %s", async (_, listed, isWritten) => {
  writeFileSync(join(folder, "nft.listed"), `${JSON.stringify({ nftables: listed })}\n`);
  const nothing = { pods: [], host: [] };
  const installed = filter.install(nothing).then(() => true);
  expect(await installed.catch(() => false)).toBe(isWritten);
  expect(await filter.switchesIfIntact()).toEqual(isWritten ? nothing : undefined);
});

it.each([
  ["a watchdog has shown itself", [{ elem: { val: "ipv4", expires: 9 } }], 1],
  ["it has not", [], 0],
  ["not in this family", [{ elem: { val: "ipv6", expires: 9 } }], 0],
  ["not for too long", ["ipv4"], 0],
])("a switch for the node's own processes counts while %s", async (_, watched, expected) => {
  const listener = { address: "169.254.20.10", protocol: "udp" } as const;
  const host = { name: "host4", elem: [{ concat: Object.values(listener) }] };
  const table = [{ set: host }, { set: { name: "watched", elem: watched } }];
  writeFileSync(join(folder, "nft.table"), `${JSON.stringify({ nftables: table })}\n`);
  expect((await filter.switches())?.host).toEqual(expected === 1 ? [listener] : []);
});
