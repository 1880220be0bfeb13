import { describe, expect, it } from "vitest";
import { authoritativeCorefileOf, nodeLocalDnsCorefileOf } from "../../../rig/coredns/corefile-of";
import type { Corefile } from "../../../src/model/corefile/corefile";
import { plugins } from "../../../src/model/corefile/plugins";

const facts = {
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "nftables",
  agentImage: "registry.example/agent:1",
} as const;

describe("the table of CoreDNS' plugins", () => {
  it.each<[what: string, corefile: Corefile]>([
    ["CoreDNS", authoritativeCorefileOf({ ...facts, authoritativeDNS: { cache: { serveStale: "1h" } } })],
    ["the cache", nodeLocalDnsCorefileOf({ ...facts, nodeLocalDNS: { cache: { prefetch: { amount: 5 } } } })],
  ])("has every plugin and option of ours, of %s", (_, corefile) => {
    const unknown = corefile.flatMap((block) =>
      block.plugins.flatMap(({ name, options }) =>
        options
          .map((option) => `${name} ${option.name}`)
          .concat(name)
          .filter((each) => !isKnown(each)),
      ),
    );
    expect(unknown).toEqual([]);
  });
});

function isKnown(text: string): boolean {
  const [name = "", option] = text.split(" ");
  const rule = plugins[name];
  return rule !== undefined && (option === undefined || Object.hasOwn(rule.options, option));
}
