import { defaults } from "../model/defaults";
import { inDocs } from "../model/docs";
import { supportedMinors } from "../model/kubernetes-version";
import { releasedAgentImage } from "../model/released";
import { commandWith, taking } from "./command";
import { printsJson, report } from "./outcome";
import { lines } from "./print";

export function versionCommand(version: string) {
  return commandWith({
    help: `Prints the versions of cdk8s-cluster-dns, and of what it deploys unless a cluster file says otherwise.

Usage: npx cdk8s-cluster-dns version [--format text|json]

  --format FORMAT  text or json (default: text)
`,
    options: taking("format"),
    namesClusters: false,

    run(options) {
      const { oldest, newest } = supportedMinors;
      const result = {
        "cdk8s-cluster-dns": version,
        node: process.versions.node,
        kubernetes: `1.${oldest} to 1.${newest}`,
        "authoritativeDNS.image": defaults.authoritativeDNS.image,
        "authoritativeDNS.autoscaler.image": defaults.autoscaler.image,
        agentImage: releasedAgentImage ?? null,
        "nodeLocalDNS.image, without agentImage": defaults.nodeCacheImage,
      };
      return report({ problems: [], result }, printsJson(options), (versions) =>
        lines(
          Object.entries(versions).map(([of, is]) => `${of}: ${is ?? `none: build it (${inDocs("agent-image")})`}`),
        ),
      );
    },
  });
}
