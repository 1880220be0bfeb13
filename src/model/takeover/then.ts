import type { Cluster } from "../cluster/cluster";
import { authoritativeCorefile, authoritativeFiles } from "../corefile/authoritative";
import type { Corefile } from "../corefile/corefile";
import { configFolder } from "../corefile/forward";
import { cacheFiles, nodeLocalDnsCorefile } from "../corefile/node-local-dns";
import { renderCorefile } from "../corefile/render";
import { answersOf } from "./answers";
import { readCorefile } from "./read-corefile";

export type AnswersThen = ReturnType<typeof answersThen>;

/** What each server of a cluster of ours says, read as any other Corefile. */
export function answersThen({ components: { authoritativeDns, nodeLocalDns }, domain }: Cluster) {
  const read = (corefile: Corefile, texts: { readonly [file: string]: string }) => {
    const files = new Map(
      Object.entries(texts).map(([file, text]) => [`${configFolder}/${file}`, { text, source: "" }]),
    );
    const mounted = { files, unknown: [] };
    return answersOf("", readCorefile(renderCorefile(corefile), `${configFolder}/Corefile`, mounted, true), domain);
  };
  return {
    authoritativeDNS:
      authoritativeDns &&
      read(authoritativeCorefile(authoritativeDns.names), authoritativeFiles(authoritativeDns.names)),
    nodeLocalDNS: nodeLocalDns && read(nodeLocalDnsCorefile(nodeLocalDns), cacheFiles(nodeLocalDns.names)),
  };
}
