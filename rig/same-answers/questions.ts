import type { WrittenCorefile, WrittenDirective } from "../../src/model/corefile/corefile";
import { lineOf } from "../../src/model/corefile/line";
import { zonesSaid } from "../../src/model/corefile/plugins";
import { zonesOf } from "../../src/model/corefile/server-key";
import { familyOf } from "../../src/model/syntax/addresses";

/** A Service that names of Corefiles lead to. */
export interface SuggestedService {
  readonly namespace: string;
  readonly name: string;
}

/** Of another cluster. */
export const importedService: SuggestedService = { namespace: "default", name: "shop" };

/** Names that Corefiles suggest: of and below each zone, of each rule and each entry, and their search expansion. */
export function suggestedNames(corefiles: readonly WrittenCorefile[], domain: string): string[] {
  const directives = corefiles.flat().flatMap(({ plugins }) => plugins);
  const zones = [
    ...corefiles.flat().flatMap(({ keys }) => keys.flatMap(({ zone }) => zonesOf(zone))),
    ...directives.flatMap(zonesSaid),
  ].filter((zone) => zone !== ".");
  const said = [
    ...new Set(zones).values(),
    ...directives.flatMap(namesOf),
    "www.outside.example",
    "alias.outside.example",
    "missing.outside.example",
    "v4.outside.example",
    "7.2.0.192.in-addr.arpa",
  ];
  const below = [...new Set(zones)].flatMap((zone) => [
    `www.${zone}`,
    `alias.${zone}`,
    `a.b.${zone}`,
    `missing.${zone}`,
  ]);
  const outside = [...new Set([...said, ...below])].filter((name) => !name.endsWith(".arpa"));
  const expanded = outside.slice(0, 40).flatMap((name) => [`${name}.default.svc.${domain}`, `${name}.${domain}`]);
  return [...new Set([...said, ...below, ...ofCluster(domain), ...expanded])]
    .map((name) => name.toLowerCase())
    .filter(isName);
}

/** Services of names in rules and entries, below the cluster domain. */
export function suggestedServices(corefiles: readonly WrittenCorefile[], domain: string): SuggestedService[] {
  const text = corefiles
    .flat()
    .flatMap(({ plugins }) => plugins.map(lineOf))
    .join(" ")
    .replaceAll("\\.", ".");
  const expression = new RegExp(
    String.raw`([a-z][a-z0-9-]*)\.([a-z][a-z0-9-]*)\.svc\.${domain.replaceAll(".", "\\.")}`,
    "g",
  );
  const found = [...text.matchAll(expression)].map(([, name = "", namespace = ""]) => ({ namespace, name }));
  const ofSuffix = [...text.matchAll(/\.([a-z][a-z0-9-]*)\.svc\./g)].flatMap(([, namespace = ""]) =>
    sampleWords.map((name) => ({ namespace, name })),
  );
  return [...new Map([...found, ...ofSuffix].map((each) => [`${each.namespace}/${each.name}`, each])).values()];
}

/** What stands for any text in a rule. */
const sampleWords = ["abc", "www"];

function ofCluster(domain: string): string[] {
  return [
    domain,
    `kubernetes.default.svc.${domain}`,
    `_https._tcp.kubernetes.default.svc.${domain}`,
    `none.default.svc.${domain}`,
    `headless.default.svc.${domain}`,
    `web-0.headless.default.svc.${domain}`,
    `10-244-0-9.default.pod.${domain}`,
    `dns-version.${domain}`,
    `default.svc.${domain}`,
    `svc.${domain}`,
    "1.0.96.10.in-addr.arpa",
    "9.0.244.10.in-addr.arpa",
  ];
}

function namesOf(directive: WrittenDirective): string[] {
  const { name, args, options } = directive;
  if (name === "kubernetes")
    return options
      .filter((each) => each.name === "multicluster")
      .flatMap((each) => each.args.map((zone) => `${importedService.name}.${importedService.namespace}.svc.${zone}`));
  if (name === "rewrite") {
    const words = args.concat(options.flatMap((each) => [each.name, ...each.args]));
    const at = words.indexOf("name");
    const [match = "", from = ""] = at < 0 ? [] : words.slice(at + 1);
    const kinds: { readonly [match: string]: string[] } = {
      exact: [from, `www.${from}`],
      suffix: [`www.${from}`.replace("..", "."), `abc${from}`],
      prefix: [`${from}abc.example`, `${from}.abc.example`],
      substring: [`abc${from}abc.example`, `abc.${from}.abc.example`, from],
      regex: samplesOf(from),
    };
    return kinds[match] ?? [match, `www.${match}`];
  }
  if (name === "hosts")
    return options.flatMap((each) =>
      familyOf(each.name) ? [...each.args, ...each.args.map((host) => `www.${host}`), reverseOf(each.name)] : [],
    );
  const texts = options.filter((each) => each.name === "match").flatMap((each) => each.args);
  return texts.flatMap(samplesOf);
}

/** Names that an expression may match: good enough for those that people write. */
function samplesOf(expression: string): string[] {
  return sampleWords.map((word) =>
    expression
      .replace(/^\^|\$$/g, "")
      .replace(/\(\?[imsU]+\)/g, "")
      .replace(/\((\?P<\w+>|\?:)?([^()]*)\)([*+?]|\{\d+,?\d*\})?/g, (_, _group, inner: string) =>
        /^[\w-]+(\\\.)?$/.test(inner) ? inner : inner.endsWith("\\.") ? `${word}.` : word,
      )
      .replace(/(\[[^\]]*\]|\\[wd]|\.)[*+]\??/g, word)
      .replaceAll("\\.", ".")
      .replaceAll("\\-", "-")
      .replace(/[.$]+$/, ""),
  );
}

function reverseOf(address: string): string {
  return familyOf(address) === "IPv4" ? `${address.split(".").toReversed().join(".")}.in-addr.arpa` : "";
}

function isName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(name);
}
