import { expect, it } from "vitest";
import { whyEnded } from "../../../src/model/doctor/why-ended";

const banner = [".:53", "[INFO] plugin/reload: Running configuration SHA512 = 1f", "CoreDNS-1.14.7"];
const goUsage = ["Usage of /coredns:", "  -conf string", "    \tCorefile to load (default: Corefile)", "  -version"];

it.each<[what: string, lines: string[], why: string | undefined]>([
  ["CoreDNS: the last line", [...banner, "Listen: listen tcp :53: bind: address already in use"], "Listen: "],
  ["nothing but what it prints at its start", banner, "CoreDNS-1.14.7"],
  ["Go's flag", ["flag provided but not defined: -x", ...goUsage, "    \tShow version"], "flag provided but not"],
  ["pflag, which says it twice", ["unknown flag: --x", ...goUsage, "unknown flag: --x"], "unknown flag"],
  [
    "cobra",
    ["Error: unknown flag: --x", "Usage:", "  kube-proxy [flags]", "", "Flags:", "      --version"],
    "Error: unknown flag: --x",
  ],
  ["Go's panic", [...banner, "panic: no", "", "goroutine 1 [running]:", "main.main()", "\t/x.go:1"], "panic: no"],
  [
    "an error that nobody caught in Node",
    [
      "node:internal/modules/cjs/loader:1",
      "  throw err;",
      "  ^",
      "",
      "Error: Cannot find module '/agent.js'",
      "    at Function.<anonymous> (node:internal/modules/cjs/loader:1401:15) {",
      "  code: 'MODULE_NOT_FOUND',",
      "  requireStack: []",
      "}",
      "",
      "Node.js v22.21.0",
    ],
    "Error: Cannot find module '/agent.js'",
  ],
  ["a blank line at the end", ["exec /coredns: exec format error", "", "  "], "exec /coredns: exec format error"],
  ["the end of a usage text, whose beginning was not read", goUsage.slice(1), undefined],
  ["an empty log", [], undefined],
])("%s", (_, lines, why) => {
  const said = whyEnded(lines);
  if (why === undefined) expect(said).toBeUndefined();
  else expect(said?.startsWith(why)).toBe(true);
});
