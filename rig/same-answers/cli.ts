import { readFileSync } from "node:fs";
import { whyNoCoreDNS } from "../coredns/coredns";
import { sameAnswers } from "./same-answers";

// `npm run same-answers -- FILE...`, of what `init --from` reads.
async function main(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const { asked, differences, ofCoreDNS, unknown } = await sameAnswers(readFileSync(file, "utf8"));
    const [lasting, others] = [
      differences.filter(({ isOfTTL }) => isOfTTL),
      differences.filter(({ isOfTTL }) => !isOfTTL),
    ];
    console.log(
      `${file}: ${asked} questions; for pods, ${others.length} have another answer, and ${lasting.length} another TTL`,
    );
    if (unknown.length > 0) console.log(`  not run, because CoreDNS no longer has them: ${unknown.join(", ")}`);
    for (const [who, all] of [
      ["pods", differences],
      ["CoreDNS itself", ofCoreDNS.filter(({ isOfTTL }) => !isOfTTL)],
    ] as const)
      for (const { name, type, over, theirs, ours } of all)
        console.log(`  ${who}: ${name} ${type} (${over}): ${theirs}; ours: ${ours}`);
  }
}

if (whyNoCoreDNS) {
  console.error(`${whyNoCoreDNS}; or set COREDNS to one`);
  process.exitCode = 1;
} else void main(process.argv.slice(2));
