import { readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../../rig/run";

/** Custom resources that clusters may contain, from the definitions that their projects publish in their Go modules. */
const published = [
  {
    module: "github.com/cilium/cilium@v1.20.2",
    files: ["pkg/k8s/apis/cilium.io/client/crds/v2/ciliumlocalredirectpolicies.yaml"],
  },
  {
    module: "github.com/prometheus-operator/prometheus-operator@v0.85.0",
    files: ["podmonitors", "prometheusrules", "servicemonitors"].map(
      (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
    ),
  },
];

/** The definitions as one YAML stream. */
export async function publishedCrds(): Promise<string> {
  const texts: string[] = [];
  for (const { module, files } of published) {
    const described = await run(["go", "mod", "download", "-json", module], { cwd: "/", timeoutSeconds: 600 });
    const { Dir: folder } = JSON.parse(described) as { Dir: string };
    texts.push(...files.map((file) => readFileSync(join(folder, file), "utf8")));
  }
  return texts.join("\n---\n");
}
