import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keysOf, plugin, variable } from "../../../src/model/corefile/corefile";
import type { Argument, Directive } from "../../../src/model/corefile/corefile";
import { renderCorefile } from "../../../src/model/corefile/render";
import { readCorefile } from "./read-corefile";
import { anyText } from "../../any-text";

function renderArguments(...args: Argument[]): string {
  return renderCorefile([{ keys: keysOf(["."]), plugins: [plugin("whoami", args)] }]);
}

describe("a Corefile", () => {
  it.each<[what: string, argument: Argument, rendered: string]>([
    ["a plain word", "10.96.0.10", "10.96.0.10"],
    ["a space", "a b", '"a b"'],
    ["nothing", "", '""'],
    ["a comment sign, which starts a comment even within a word", "a#b", '"a#b"'],
    ["a backslash", "a\\b", "a\\b"],
    ["a brace within a word, where it opens nothing", "a{b", "a{b"],
  ])("keeps %s", (_, argument, rendered) => expect(renderArguments(argument)).toContain(`whoami ${rendered}\n`));
});

describe("what has no spelling is refused", () => {
  it.each<[what: string, argument: Argument]>([
    ["a carriage return", "a\rlog"],
    ["a Unicode line separator", "a\u2028log"],
    ["an environment variable, Windows style", "{%HOME%}"],
    ["an environment variable beside a real one", ["{", variable("PORT"), "$HOME}", "{", "$HOME}"]],
    ["a null character", "\0"],
  ])("%s", (_, argument) => {
    expect(() => renderArguments(argument)).toThrow(/^Corefile: ".*" cannot be (an argument|quoted)$/s);
  });

  it.each(["", "a b", "a,", "(snippet)", "{", "tls://a", "a\n", "*.example", "a..b", "import me"])(
    "the zone %j",
    (zone) => {
      expect(() => renderCorefile([{ keys: keysOf([zone]), plugins: [] }])).toThrow("cannot be a zone or a directive");
    },
  );

  it.each(["import", "", "a b", "}", '"log"', "#log"])("the directive %j", (name) => {
    expect(() => renderCorefile([{ keys: keysOf(["."]), plugins: [plugin(name)] }])).toThrow("cannot be a zone");
  });

  it("text that only looks like a variable", () => {
    expect(() => renderArguments(variable("A}{$B"))).toThrow("cannot be a zone or a directive");
  });
});

const hostile = fc.stringMatching(/^[a{}$%"\\ #\n]{0,8}$/);
const text = fc.oneof(anyText(12), hostile, fc.constantFrom("import", "{$A}", "}", "10.96.0.10"));
const aVariable = fc.constantFrom(variable("A"), variable("B"));
const joined = fc.array(fc.oneof(text, aVariable), { minLength: 1, maxLength: 4 });
const argument: fc.Arbitrary<Argument> = fc.oneof(text, fc.nat(), aVariable, joined);
const directive = (options: fc.Arbitrary<readonly Directive[]>): fc.Arbitrary<Directive> =>
  fc
    .tuple(fc.constantFrom("errors", "forward", "10.1.2.3", "fd00::1"), fc.array(argument, { maxLength: 2 }), options)
    .map((parts) => plugin(...parts));
const none = fc.constant([]);
const nested = directive(fc.array(directive(fc.array(directive(none), { maxLength: 1 })), { maxLength: 2 }));
const zone = fc.oneof({ arbitrary: fc.constantFrom(".", "cluster.local", "in-addr.arpa"), weight: 9 }, text);
const ofBlock = fc.array(zone, { minLength: 1, maxLength: 2 }).map((zones) => keysOf(zones));
const block = fc.record({ keys: ofBlock, plugins: fc.array(nested, { maxLength: 2 }) });
const environment = { A: "value-of-a", B: "value of b" };

it("any Corefile either is refused or is read by CoreDNS as it was meant: block for block, directive for directive, word for word", () => {
  let read = 0;
  fc.assert(
    fc.property(fc.array(block, { maxLength: 2 }), (corefile) => {
      let rendered: string;
      try {
        rendered = renderCorefile(corefile);
      } catch (error) {
        expect(error).toMatchObject({ message: expect.stringMatching(/^Corefile: /) });
        return;
      }
      read += corefile.length;
      expect(readCorefile(rendered, environment)).toEqual(
        corefile.map(({ keys, plugins }) => ({ keys, plugins: plugins.map(meant) })),
      );
    }),
    { numRuns: 2000 },
  );
  // Most are: the property is about more than refusals.
  expect(read).toBeGreaterThan(200);
});

function meant({ name, args, options }: Directive): Directive {
  return { name, args: args.map(meantWord), options: options.map(meant) };
}

function meantWord(arg: Argument): string {
  return [arg]
    .flat()
    .map((part) => (typeof part === "object" ? environment[part.variable as "A" | "B"] : String(part)))
    .join("");
}
