import type { FederationOptions } from "../props/federation";
import { bufsize, plugin, serverBlock, type Corefile } from "./corefile";
import { regexOf } from "./regex";
import { noSuchName, rewrite } from "./tenant-names";
import { forwardToMain } from "./to-main";

/** Loopback port for names whose Service is not in this cluster. */
const elsewherePort = 10053;

/** The first block removes the federation from a name and asks the main block; the second has all other names. */
export function federationBlocks(
  federation: FederationOptions,
  domain: string,
  ttl: number,
  version: string | undefined,
): Corefile {
  const { name } = federation;
  const toMain = forwardToMain(version);
  const target = `${publishedZone(federation)}.`;
  // At least service.namespace, in characters that have no special meaning in a record.
  const service = "([-_a-z0-9]+(?:\\.[-_a-z0-9]+)+)";
  return [
    serverBlock(
      [askedZone(federation, domain)],
      [
        bufsize,
        rewrite(`^${service}\\.${regexOf(name)}\\.svc\\.${regexOf(domain)}\\.$`, `{1}.svc.${domain}.`),
        noSuchName(domain, ttl),
        { ...toMain, options: [...toMain.options, plugin("next", ["NXDOMAIN"])] },
        forwardToMain(version, ".", elsewherePort),
      ],
    ),
    serverBlock(
      ["."],
      [
        plugin("bind", ["127.0.0.1"]),
        plugin(
          "template",
          ["IN", "ANY", `svc.${domain}`],
          [
            plugin("match", [`^${service}\\.svc\\.${regexOf(domain)}\\.$`]),
            plugin("answer", [`{{ .Name }} ${ttl} IN CNAME {{ index .Match 1 }}.${target}`]),
          ],
        ),
        toMain,
      ],
      { port: elsewherePort },
    ),
  ];
}

// The zones of a federation; a name in them starts with `service.namespace`.

/** The zone in which pods of a cluster ask. */
export function askedZone({ name }: Pick<FederationOptions, "name">, domain: string): string {
  return `${name}.svc.${domain}`;
}

/** The zone in which the federation's servers answer for the Services of a cluster. */
export function publishedZone({ name, zone, region, domain }: FederationOptions): string {
  return `${name}.svc.${zone}.${region}.${domain.replace(/\.$/, "")}`;
}
