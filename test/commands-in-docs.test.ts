import { join } from "node:path";
import { expect, it } from "vitest";
import { Scratch } from "./cli/scratch";
import { root } from "./repository";

const scratch = new Scratch();

/** The page of every command's help. */
function page(): string {
  const help = (...args: string[]) => `\`\`\`text\n${scratch.runBundle(...args, "--help").stdout}\`\`\`\n`;
  const list = help();
  const names = [...list.matchAll(/^ {2}(?!help)([a-z]+) /gm)].map(([, name = ""]) => name);
  return [
    "<!-- Generated from the help of each command: npm test -- test/commands-in-docs.test.ts -u -->\n",
    "# The command line\n",
    "What `npx cdk8s-cluster-dns COMMAND --help` prints. [Reading before applying](reading.md) has the commands by question.\n",
    list,
    ...names.flatMap((name) => [`## ${name}\n`, help(name)]),
  ].join("\n");
}

it("docs/commands.md is the help of each command (else: npm test -- test/commands-in-docs.test.ts -u)", async () => {
  await expect(page()).toMatchFileSnapshot(join(root, "docs/commands.md"));
});
