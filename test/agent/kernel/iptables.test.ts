import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { IptablesFilter } from "../../../src/agent/kernel/iptables";
import { iptablesRuleSet } from "../../model/packet-rules/rows";

/** As iptables-nft 1.8.9 beside a rule of nft: it writes and finds rules where it lists none. */
const tool = `#!/bin/sh
cd "$(dirname "$0")"
rules() { awk -v table="*$1" '/^\\*/ { on = $0 == table } on && /^-[AI] / { sub(/^-I/, "-A"); print }' written; }
case "$0 $*" in
*restore*) cat > last; cat last >> written;;
*" -S PREROUTING" | *" -S INPUT") cat refusal >&2; exit 1;;
*" -C "*) table=$2; shift 3; rules "$table" | grep -qxF -e "-A $*";;
*) rules "$2" | grep -F -e "-A $4 " | sort -u;;
esac
`;

// `ct state established,related accept`, `meta skuid 5 accept`
test.each(["chain `INPUT' in table `filter' is incompatible, use 'nft' tool.", "Parsing nftables rule failed"])(
  "beside rules that iptables cannot list, all is written, and once: %s",
  async (refusal) => {
    const folder = mkdtempSync(join(tmpdir(), "iptables-"));
    const path = process.env["PATH"];
    onTestFinished(() => {
      process.env["PATH"] = path;
      rmSync(folder, { recursive: true });
    });
    process.env["PATH"] = `${folder}:${path}`;
    writeFileSync(join(folder, "written"), "");
    writeFileSync(join(folder, "refusal"), `iptables v1.8.9 (nf_tables): ${refusal}`);
    for (const name of ["iptables", "ip6tables"])
      for (const end of ["-nft", "-nft-restore", "-nft-save", "-legacy-save"])
        writeFileSync(join(folder, `${name}${end}`), tool, { mode: 0o755 });
    const rules = iptablesRuleSet();
    const filter = new IptablesFilter(rules);
    const all = { pods: rules.listeners, host: [] };
    await filter.install(all);
    await filter.install(all);
    expect(await filter.switchesIfIntact()).toEqual(all);
    expect(readFileSync(join(folder, "last"), "utf8")).not.toMatch(/^-[ID]/m);
  },
);
