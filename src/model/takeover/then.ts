import type { Cluster } from "../cluster/cluster";
import { authoritativeCorefile, authoritativeFiles } from "../corefile/authoritative";
import type { Corefile } from "../corefile/corefile";
import { configFolder } from "../corefile/forward";
import { cacheFiles, nodeLocalDnsCorefile } from "../corefile/node-local-dns";
import { renderCorefile } from "../corefile/render";
import { answersOf } from "./answers";
import { largestConfigMap, readCorefile } from "./read-corefile";

export type AnswersThen = ReturnType<typeof answersThen>;

/** Read as any other Corefile. @throws Error if one is larger than a ConfigMap may be. */
export function answersThen({ components: { authoritativeDns, nodeLocalDns }, said }: Cluster) {
  const read = (corefile: Corefile, texts: { readonly [file: string]: string }) => {
    const files = new Map(
      Object.entries(texts).map(([file, text]) => [`${configFolder}/${file}`, { text, source: "" }]),
    );
    const mounted = { files, unknown: [] };
    const text = renderCorefile(corefile);
    if (text.length > largestConfigMap)
      throw new Error(
        `the Corefile that takes its place would have ${text.length} characters; a ConfigMap has at most ${largestConfigMap}: without some of the blocks that name a zone, it would fit`,
      );
    return answersOf("", readCorefile(text, `${configFolder}/Corefile`, mounted, true), said.clusterDomain);
  };
  return {
    authoritativeDNS:
      authoritativeDns &&
      read(authoritativeCorefile(authoritativeDns.names), authoritativeFiles(authoritativeDns.names)),
    nodeLocalDNS: nodeLocalDns && read(nodeLocalDnsCorefile(nodeLocalDns), cacheFiles(nodeLocalDns.names)),
  };
}
