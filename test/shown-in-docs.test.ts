import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse, stringify } from "yaml";
import { report } from "../src/agent/smoke-test/report";
import { diagnosisText, withCommands } from "../src/cli/doctor";
import { lookedAt } from "../src/model/doctor/looked";
import { boxesIn, expectShown } from "./boxes";
import { Scratch } from "./cli/scratch";
import { kubeadm } from "./live/take-over/objects";
import { patched } from "./model/doctor/edit";
import { described, findingsOf, healthy } from "./model/doctor/healthy";
import { namesIn, root } from "./repository";

/** Commands that need neither a cluster nor another program. */
const alone = /^\$ npx cdk8s-cluster-dns ((?:diff|explain)\b[^\n]*)\n([^]*)$/;
const first = boxesIn("README.md")[0]?.text ?? "";

/** The first box of a page that holds this. */
function boxWith(page: string, part: string): string {
  const box = boxesIn(page).find(({ language, text }) => language === "console" && text.includes(part));
  if (!box) throw new Error(`${page} has no box with ${part}`);
  return box.text;
}

/** What a box says is printed, below its command. */
const printedIn = (box: string) => box.replace(/^\$.*\n/, "");

/** Each command in a box, what it prints, and the box of keys before it. */
const shown = namesIn("docs")
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) => {
    const boxes = boxesIn(join("docs", name));
    return boxes.flatMap(({ text }, index) => {
      const [, command = "--context", printed = ""] = alone.exec(text) ?? [];
      const keys = boxes.slice(0, index).findLast(({ language }) => language === "yaml")?.text ?? "";
      return command.includes("--context") ? [] : [{ page: join("docs", name), command, printed, keys }];
    });
  });

const scratch = new Scratch();
beforeAll(() => {
  // Before the last day of a page's log.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 10, 27) });
});
afterAll(() => {
  vi.useRealTimers();
});

it.each(shown)("$page: $command prints it", ({ command, printed, keys }) => {
  const [base, more] = [first, keys].map((text) => (parse(text) ?? {}) as { readonly [key: string]: unknown });
  const shared = Object.entries(more ?? {}).filter(([key]) => key in (base ?? {}));
  scratch.write("clusters/prod-eu.yaml", stringify({ ...base, ...Object.fromEntries(shared) }));
  scratch.run("synth");
  scratch.write("clusters/prod-eu.yaml", keys === "" ? first : stringify({ ...base, ...more }));
  const { exitCode, stdout, stderr } = scratch.run(...command.split(" "));
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expectShown(stdout, printed);
});

it("README.md: a mistake in its cluster file", () => {
  scratch.write("clusters/prod-eu.yaml", first.replace("nftables", "ipv"));
  expect(scratch.run("synth")).toEqual({ exitCode: 1, stdout: "", stderr: boxWith("README.md", "did you mean") });
});

it("docs/start.md: what init writes from a cluster of kubeadm", () => {
  rmSync(join(scratch.folder, "clusters/prod-eu.yaml"), { force: true });
  scratch.write("objects.json", JSON.stringify({ items: kubeadm(undefined, "nftables") }));
  const { stdout } = scratch.run("init", "prod-eu", "--from", "objects.json");
  expectShown(stdout, printedIn(boxWith("docs/start.md", "init prod-eu --context prod-eu")));
  const written = parse(readFileSync(join(scratch.folder, "clusters/prod-eu.yaml"), "utf8")) as object;
  const completed = boxesIn("docs/start.md").find(({ language }) => language === "yaml")?.text ?? "";
  expect(parse(completed)).toEqual({ ...written, agentImage: expect.any(String) });
});

it("docs/from-a-cluster.md: what init leaves out", () => {
  const corefile = boxesIn("docs/from-a-cluster.md").find(({ text }) => text.startsWith("# Corefile\n"));
  scratch.write("Corefile", corefile?.text ?? "");
  const { stdout } = scratch.run("init", "prod", "--from", "Corefile");
  expectShown(stdout, printedIn(boxWith("docs/from-a-cluster.md", "init prod --from Corefile")));
});

it("docs/placement.md: preflight", () => {
  const node = (name: string, os: string, taints: readonly object[] = []) => {
    return { kind: "Node", metadata: { name, labels: { "kubernetes.io/os": os } }, spec: { taints } };
  };
  const tainted = [{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }];
  const nodes = [node("cp-1", "linux", tainted), node("w-1", "linux"), node("win-1", "windows")];
  scratch.write("clusters/infra-nodes.yaml", readFileSync(join(root, "clusters/infra-nodes.yaml")));
  const input = JSON.stringify({ items: nodes });
  const { exitCode, stdout, stderr } = scratch.runWith({ input }, "preflight", "infra-nodes", "--nodes", "-");
  expect(exitCode).toBe(1);
  expectShown(stdout + stderr, printedIn(boxWith("docs/placement.md", "--nodes -\n")));
});

it("docs/doctor.md: a Service with another selector", () => {
  const from = { ...described(parse(first) as Parameters<typeof described>[0]), name: "prod-eu" };
  const was = healthy(from);
  const services = patched(was.services, "kube-dns", { spec: { selector: { "k8s-app": "coredns" } } });
  // Kubernetes takes the endpoints away.
  const endpointSlices = patched(was.endpointSlices, "kube-dns", { endpoints: [] });
  const logs = new Map((was.pods ?? []).map(({ metadata }) => [metadata.name, new Map()]));
  const findings = findingsOf({ services, endpointSlices, logs }, from);
  const looked = lookedAt({ ...was, logs }, from, "prod-eu");
  const { formatted } = diagnosisText(withCommands({ findings, context: "prod-eu", lookedAt: looked }));
  expectShown(formatted, printedIn(boxWith("docs/doctor.md", "is not as described")));
});

describe("docs/smoke-test.md", () => {
  const page = "docs/smoke-test.md";
  const [failed, passed] = ["smoke test failed", "smoke test passed"].map((end) => printedIn(boxWith(page, end)));
  const ways = (["udp", "tcp"] as const).map((protocol) => ({ server: "10.96.0.10", protocol }));
  const asked = (about: "cluster" | "stub-domain", name: string, got: string) =>
    ways.map((way) => ({
      way,
      question: { about, name, type: "A", expect: "answered" } as const,
      got,
      expected: "any answer but SERVFAIL and REFUSED",
      isRight: got !== "SERVFAIL",
      rcode: got.split(" ")[0],
      data: [],
    }));
  const right = (count: number) => Array.from({ length: count }, (_, i) => asked("cluster", `${i}`, "NOERROR")).flat();

  const wrong = asked("stub-domain", "5d0c2a91b7e34f68.corp.example", "SERVFAIL");
  it.each([
    ["a test that fails", failed, [...wrong, ...right(9)]],
    ["the end of a test that passes", passed, right(10)],
  ] as const)("%s", (_, box = "", all) => {
    const [, from = "a pod"] = /^smoke test from (.*)$/m.exec(box) ?? [];
    const notes = [...box.matchAll(/^note: (.*)$/gm)].map(([, note = ""]) => note);
    const lines = report({ from, asked: all, notAsked: 0, linkLocal: [], notes });
    expectShown(lines.map((line) => `${line}\n`).join(""), box.startsWith("smoke test from") ? box : `...\n${box}`);
  });
});
