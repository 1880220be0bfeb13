import { renderCluster } from "../charts/render-cluster";
import { readCluster } from "../config/read-clusters";
import { printCommand } from "../model/command";
import { inDocs } from "../model/docs";
import { manifestsFolder } from "../model/gitops/objects";
import { leave, type LeavingTo } from "../model/steps/leave";
import { type Step, stepInContext } from "../model/steps/step";
import { commandWith, taking, oneCluster } from "./command";
import { choiceOf, printsJson, report } from "./outcome";
import { lines } from "./print";

export const command = commandWith({
  help: `Prints how a cluster leaves cdk8s-cluster-dns: the commands in their order, for whatever applies its manifests.

Usage: npx cdk8s-cluster-dns leave [--to kubeadm|nothing] [--clusters DIR] [--out DIR] [--context CONTEXT]
         [--format text|json] NAME

  NAME             the cluster
  --to             kubeadm: kubeadm's CoreDNS takes the place of ours; nothing: CoreDNS goes as well (default: kubeadm)
  --clusters DIR   the folder of the cluster files (default: clusters)
  --out DIR        the folder of the manifests, for the commands it prints (default: dist)
  --context        kubectl's context in the commands it prints (default: none)
  --format json    print the steps as JSON

Changes nothing. The list follows from the cluster file as it is: print it once, before the first step.
${inDocs("leaving")} explains the steps.
`,
  namesClusters: true,
  options: { to: { type: "string", default: "kubeadm" }, ...taking("clusters", "out", "context", "format") },

  run(options, names) {
    const folder = options.clusters;
    const name = oneCluster(names, folder);
    const isJson = printsJson(options);
    const to: LeavingTo = choiceOf("to", options.to, ["kubeadm", "nothing"]);
    const named = readCluster(folder, name);
    if ("problems" in named) return report(named, isJson, () => "");
    const { cluster, files } = named;
    const steps = leave(cluster, {
      name,
      to,
      file: files[0],
      folder: manifestsFolder(cluster.said.gitops, name, options.out),
      components: renderCluster(cluster).components,
    }).map((step) => stepInContext(step, options.context));
    return report({ problems: [], result: { steps } }, isJson, asText);
  },
});

function asText({ steps }: { readonly steps: readonly Step[] }): string {
  return lines(
    steps.flatMap(({ text, commands }, i) => [
      `${i + 1}. ${text}`,
      ...commands.map((each) => `     ${printCommand(each)}`),
    ]),
  );
}
