import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import schema from "../clusters/schema.json";
import { repositoryRoot } from "../rig/repository";

/** What checks a description, fills it in, shows it or writes it. The rest of src/ renders it. */
const others = /^(cli|config|live|model\/(props|check|defaults|takeover|full-props|effective))\b/;

it("every key of a cluster file is read by what renders it", () => {
  const src = join(repositoryRoot, "src");
  const files = readdirSync(src, { encoding: "utf8", recursive: true }).filter(
    (file) => file.endsWith(".ts") && !others.test(file),
  );
  const words = new Set(
    files.flatMap((file) => withoutComments(readFileSync(join(src, file), "utf8")).match(/\w+/g) ?? []),
  );
  expect(keysOf(schema).filter((key) => !words.has(key))).toEqual([
    // Only the checks go by it.
    "serviceCIDRs",
    // Options of resolv.conf, which are passed on whatever their names are.
    "no-aaaa",
    "single-request",
    "single-request-reopen",
    "use-vc",
  ]);
});

function withoutComments(source: string): string {
  return source.replace(/\/\*[^]*?\*\/|\/\/ .*/g, "");
}

function keysOf(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  const { properties = {} } = part as { readonly properties?: object };
  return [...new Set([...Object.keys(properties), ...Object.values(part).flatMap(keysOf)])];
}
