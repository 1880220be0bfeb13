import { askedZone, publishedZone } from "../federation-zones";
import type { AuthoritativeDnsOptions } from "../props/authoritative-dns";
import type { ClusterFacts } from "../props/cluster-facts";
import { plugin, type Corefile } from "./corefile";
import { regexOf } from "./regex";
import { bufsize } from "./shared";
import { forwardToMain, noSuchName, rewrite } from "./tenant-names";

/** Where a federation name is asked that has no Service here; on loopback only. */
const elsewherePort = 10053;

/**
 * Server blocks for the names of the federation: what is left of a name without the federation is asked of the main block;
 * where that knows no such name, the second block answers with the federation's name and, through the main block, its address.
 */
export function federationBlocks(facts: ClusterFacts, options: AuthoritativeDnsOptions): Corefile {
  const { federation, clusterDomain: domain = "cluster.local" } = facts;
  if (!federation) return [];
  const { name } = federation;
  const target = `${publishedZone(federation)}.`;
  // service.namespace at least, in characters that mean nothing in a record.
  const service = "([-_a-z0-9]+(?:\\.[-_a-z0-9]+)+)";
  return [
    {
      zones: [askedZone(federation, domain)],
      plugins: [
        plugin("errors"),
        bufsize,
        rewrite(`^${service}\\.${regexOf(name)}\\.svc\\.${regexOf(domain)}\\.$`, `{1}.svc.${domain}.`),
        noSuchName(domain, options),
        plugin("forward", [".", "127.0.0.1:53"], [plugin("max_fails", [0]), plugin("next", ["NXDOMAIN"])]),
        plugin("forward", [".", `127.0.0.1:${elsewherePort}`], [plugin("max_fails", [0])]),
      ],
    },
    {
      zones: ["."],
      port: elsewherePort,
      plugins: [
        plugin("errors"),
        plugin("bind", ["127.0.0.1"]),
        plugin(
          "template",
          ["IN", "ANY", `svc.${domain}`],
          [
            plugin("match", [`^${service}\\.svc\\.${regexOf(domain)}\\.$`]),
            plugin("answer", [`{{ .Name }} ${options.ttl ?? 30} IN CNAME {{ index .Match 1 }}.${target}`]),
          ],
        ),
        forwardToMain,
      ],
    },
  ];
}
