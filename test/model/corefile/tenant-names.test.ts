import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Corefile, Directive } from "../../../src/model/corefile/corefile";
import { renderCorefile } from "../../../src/model/corefile/render";
import { resolve } from "../../../src/model/check/resolve";
import type { TenancyOptions } from "../../../src/model/props/tenancy";
import { memberOf, tenancyOf, type NamespaceFacts } from "../../../src/model/tenancy/membership";
import { inShort } from "./block-of";
import { readCorefile } from "./read-corefile";
import { authoritativeCorefileOf } from "../../../rig/coredns/corefile-of";
import { runs } from "../../../rig/seed";
import { anyText } from "../../any-text";

const facts = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" } as const;
const baz = { name: "baz", namespaces: ["bar", "bar2"] };
const listed: TenancyOptions = { tenants: [baz, { name: "acme", namespaces: ["web"] }] };

function corefile(tenancy: TenancyOptions): Corefile {
  return authoritativeCorefileOf({ ...facts, tenancy });
}

const ofTenants = (blocks: Corefile) => blocks.filter(({ keys }) => keys.some(({ zone }) => zone.includes(".svc.")));
const ofTenant = (name: string) => `${name}.svc.cluster.local`;
const blocksOf = (tenancy: TenancyOptions, zone: string) =>
  corefile(tenancy).filter(({ keys }) => keys.some((key) => key.zone === zone));

const byPrefix: TenancyOptions = { membership: "prefix", tenants: [{ name: "baz" }, { name: "acme" }] };
const byLabel: TenancyOptions = { ...byPrefix, membership: "label", namespaceLabel: "example.com/tenant" };
const hard: TenancyOptions = { ...listed, systemTenant: { name: "infra" }, isolation: "hard" };
const federation = { name: "myfed", domain: "fed.example", region: "eu-west", zone: "eu-west-1a" };

it.each<[what: string, blocks: Corefile]>([
  ["take a listed tenant out of its names, and ask the main block for the rest", blocksOf(listed, ofTenant("baz"))],
  ["put a prefix in front of the namespace", blocksOf(byPrefix, ofTenant("acme"))],
  ["show only the namespaces that a label gives to the tenant", blocksOf(byLabel, ofTenant("baz"))],
  ["under hard isolation are two of the cluster domain", corefile(hard).slice(0, 2)],
  [
    "by prefix find a client's tenant by the parts of its namespace",
    blocksOf({ ...byPrefix, isolation: "hard" }, "cluster.local").slice(0, 1),
  ],
  [
    "of a federation are one for its names, and one on loopback for what is elsewhere",
    authoritativeCorefileOf({ ...facts, federation }).slice(-2),
  ],
])("the server blocks %s", (_, blocks) => expect(inShort(blocks)).toMatchSnapshot());

describe("the server blocks of tenants", () => {
  it("have one for the system tenant, whatever the membership", () => {
    const [block] = blocksOf({ ...listed, systemTenant: { name: "infra" } }, ofTenant("infra"));
    expect(block && inShort([block])).toContain("(?:default|kube-system)");
  });

  it("leave the other blocks as they are without tenants", () => {
    const others = authoritativeCorefileOf(facts);
    expect(corefile(listed).slice(0, others.length)).toEqual(others);
  });

  it("are of sixteen tenants each", () => {
    const tenants = Array.from({ length: 40 }, (_, i) => ({ name: `t${i}`, namespaces: [`n${i}`] }));
    expect(ofTenants(corefile({ tenants })).map(({ keys }) => keys.length)).toEqual([16, 16, 8]);
  });

  it("have as many rules as CoreDNS's limit for an expression asks for", () => {
    const namespaces = Array.from({ length: 1000 }, (_, i) => `${"n".repeat(40)}-${i}`);
    const expressions = regexRules(ofTenants(corefile({ tenants: [{ name: "baz", namespaces }] }))[0]?.plugins ?? []);
    expect(expressions.length).toBe(5);
    for (const [expression] of expressions) expect(expression.length).toBeLessThan(10_000);
  });
});

it("hard isolation has one block that asks the API server", () => {
  expect(inShort(corefile(hard).slice(2))).not.toContain("kubernetes");
});

/** What a name becomes in the block of its zone, as CoreDNS's `rewrite` has it; undefined where no rule is for it. */
function rewriter(blocks: Corefile): (name: string) => string | undefined {
  const zones = blocks
    .flatMap(({ keys, plugins }) => {
      const rules = regexRules(plugins).map(([expression, to]) => ({ expression: new RegExp(expression), to }));
      return keys.filter(({ zone }) => zone !== ".").map(({ zone }) => ({ end: `.${zone}.`, rules }));
    })
    .sort((a, b) => b.end.length - a.end.length);
  return (name) => {
    for (const { expression, to } of zones.find(({ end }) => name.endsWith(end))?.rules ?? []) {
      const groups = expression.exec(name);
      if (groups) return groups.reduce((text, group, i) => text.replaceAll(`{${i}}`, group), to);
    }
    return undefined;
  };
}

function regexRules(plugins: readonly Directive[]): [expression: string, replacement: string][] {
  return plugins.filter(({ name }) => name === "rewrite").map(({ args }) => [String(args[3]), String(args[4])]);
}

const label = fc.stringMatching(/^[ab1](-?[ab1]){0,3}$/);

/** Tenancies that pass the checks, of names so alike that one is often part of another. */
const tenancies = fc
  .record({
    membership: fc.constantFrom("listed" as const, "prefix" as const),
    names: fc.uniqueArray(label, { minLength: 1, maxLength: 5 }),
    namespaces: fc.array(fc.array(label, { minLength: 1, maxLength: 3 }), { minLength: 5, maxLength: 5 }),
    systemTenant: fc.constantFrom(undefined, { name: "infra" }),
  })
  .map(({ membership, names, namespaces, systemTenant }): TenancyOptions => ({
    membership,
    tenants: names.map((name, i) => (membership === "listed" ? { name, namespaces: namespaces[i] ?? [] } : { name })),
    ...(systemTenant ? { systemTenant } : {}),
  }))
  .filter((tenancy) => resolve({ ...facts, tenancy }).cluster !== undefined);

it("for any tenants: a name of a tenant is that of a Service in one of its namespaces, and of no other", () => {
  let answered = 0;
  fc.assert(
    fc.property(tenancies, fc.array(label, { minLength: 5, maxLength: 20 }), (tenancy, others) => {
      const rewritten = rewriter(corefile(tenancy));
      const listedNamespaces = tenancy.tenants.flatMap((t) => t.namespaces ?? []);
      const namespaces = new Set([...others, "default", "kube-system", ...listedNamespaces]);
      const tenants = [...tenancy.tenants.map(({ name }) => name), "infra", "nobody"];
      for (const tenant of tenants) {
        for (const namespace of namespaces) {
          for (const service of ["foo", "web-0.foo", "_http._tcp.foo"]) {
            const plain = rewritten(`${service}.${namespace}.${tenant}.svc.cluster.local.`);
            const owner = plain === undefined ? undefined : ownerOf(tenancy, { name: plain.split(".").at(-5) ?? "" });
            if (plain !== undefined) {
              answered += 1;
              if (owner?.tenant !== tenant || owner.namespace !== namespace || !plain.startsWith(`${service}.`))
                expect({ plain, owner }).toEqual({ plain: `${service}.`, owner: { tenant, namespace } });
            } else if (ownerOf(tenancy, { name: realName(tenancy, tenant, namespace) })?.tenant === tenant) {
              expect.unreachable(`${namespace} is a namespace of ${tenant}, and its names do not answer`);
            }
          }
        }
      }
    }),
    { numRuns: runs(300) },
  );
  expect(answered).toBeGreaterThan(300);
});

function ownerOf(tenancy: TenancyOptions, namespace: NamespaceFacts) {
  return memberOf(tenancyOf(tenancy), namespace);
}

function realName(tenancy: TenancyOptions, tenant: string, namespace: string): string {
  return tenancy.membership === "prefix" && tenant !== "infra" ? `${tenant}-${namespace}` : namespace;
}

describe("a hostile name", () => {
  const hostile = fc.oneof(
    anyText(12),
    fc.stringMatching(/^[-a{}$%"\\ #\n.'=;|*+()[\]^]{1,8}$/),
    fc.constantFrom("a}\n.:53 {", "{$HOME}", "' || true || '", "a.b", "import", ".*", "a|b", "{1}", "a b=c "),
  );
  const tenancy = (isolation: "open" | "hard", name: string, namespace: string): TenancyOptions => {
    return { tenants: [{ name, namespaces: [namespace] }], isolation };
  };
  const shape = (tenancyOptions: TenancyOptions) =>
    readCorefile(renderCorefile(corefile(tenancyOptions))).map(({ keys, plugins }) => [keys.length, shapes(plugins)]);
  const usual = { open: shape(tenancy("open", "a", "b")), hard: shape(tenancy("hard", "a", "b")) };

  // Checks refuse them long before; this is for what would come past a check.
  it("is refused by the renderer or leaves every block, directive and word where it was", () => {
    fc.assert(
      fc.property(
        hostile,
        hostile,
        fc.constantFrom("open" as const, "hard" as const),
        (tenant, namespace, isolation) => {
          let got: unknown;
          try {
            got = shape(tenancy(isolation, tenant, namespace));
          } catch (error) {
            expect(error).toMatchObject({ message: expect.stringMatching(/^Corefile: /) });
            return;
          }
          expect(got).toEqual(usual[isolation]);
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  it("stands for itself in an expression", () => {
    fc.assert(
      fc.property(hostile, (namespace) => {
        const [first] = ofTenants(corefile({ tenants: [{ name: "baz", namespaces: [namespace] }] }));
        const [rule] = regexRules(first?.plugins ?? []);
        const matches = (text: string) => new RegExp(rule?.[0] ?? "").test(`foo.${text}.baz.svc.cluster.local.`);
        expect(matches("bar")).toBe(namespace === "bar");
        if (!/[\n\r\u2028\u2029]/.test(namespace)) expect(matches(namespace)).toBe(true);
      }),
    );
  });
});

function shapes(directives: Corefile<string>[number]["plugins"]): unknown {
  return directives.map(({ name, args, options }) => [name, args.length, shapes(options)]);
}
