import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CompletionContext } from "@codemirror/autocomplete";
import { yaml } from "@codemirror/lang-yaml";
import { EditorState } from "@codemirror/state";
import { expect, it } from "vitest";
import { complete, documentation } from "../editor/completion";
import { Places, type Schema } from "../editor/schema";
import { root } from "./site";

const places = new Places(JSON.parse(readFileSync(join(root, "clusters/schema.json"), "utf8")) as Schema);

/** What is offered at the bar of a text. */
function offered(marked: string): string[] {
  const pos = marked.indexOf("|");
  const state = EditorState.create({ doc: marked.replace("|", ""), extensions: [yaml()] });
  return (complete(new CompletionContext(state, pos, true), places)?.options ?? []).map(({ label }) => label);
}

it.each([
  ["nodeLocalDNS:\n  inter|", "interception"],
  ["nodeLocalDNS:\n  interception: li|", "link-local"],
  ["nodeLocalDNS: { inter| }", "interception"],
  ["nodeLocalDNS: {inter|}", "interception"],
  ["nodeLocalDNS: { | }", "interception"],
  ["nodeLocalDNS: { inter|", "interception"],
  ["nodeLocalDNS: { |", "interception"],
  ["nodeLocalDNS: { inter|\nkubeProxyMode: nftables\n", "interception"],
  ["nodeLocalDNS: { interception: |", "link-local"],
  ["nodeLocalDNS: { interception: li|, state: enabled }", "link-local"],
  ["authoritativeDNS: { replicas: 3, k| }", "kind"],
  ["authoritativeDNS: { kind: DaemonSet, nodePlacement: { tol| } }", "tolerations"],
  ["authoritativeDNS: { nodePlacement: { tolerations: [{ key: a, eff| }] } }", "effect"],
  ["authoritativeDNS: { nodePlacement: { tolerations: [{ key: 'a, {', eff| }] } }", "effect"],
  ["authoritativeDNS: {\n  kind: Deployment, # { one\n  repl|\n}\n", "replicas"],
  ["authoritativeDNS:\n  nodePlacement:\n    tolerations:\n      - { key: a, oper| }\n", "operator"],
  ["queryLog: { classes: [error, den|] }", "denial"],
  ["queryLog:\n  classes: [|]\n", "denial"],
  ["nodeLocalDNS: { state: enabled }\nkubeP|", "kubeProxyMode"],
])("%j offers %s", (text, label) => {
  expect(offered(text)).toContain(label);
});

it.each([
  "nodeLocalDNS: { interception: 'link-local|' }",
  'nodeLocalDNS: { interception: "li|',
  "nodeLocalDNS: { state: enabled, # inter|\n}",
  "nodeLocalDNS: { interception:| }",
  "nodeLocalDNS: { state: enabled }|",
  "authoritativeDNS:\n  corefile:\n    blocks: >\n      a.example { inter| }\n",
])("%j offers nothing", (text) => {
  expect(offered(text)).toEqual([]);
});

it.each(["nodeLocalDNS:\n  interc|eption: link-local\n", "nodeLocalDNS: { interc|eption: link-local }"])(
  "documents the key of %j",
  (marked) => {
    const pos = marked.indexOf("|");
    const state = EditorState.create({ doc: marked.replace("|", ""), extensions: [yaml()] });
    const told = documentation(state, pos, places);
    expect(state.sliceDoc(told?.pos, told?.end)).toBe("interception");
  },
);
