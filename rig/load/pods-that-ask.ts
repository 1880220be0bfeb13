import type { Cluster } from "../cluster/cluster";
import { pod } from "../cluster/objects";
import type { Pod } from "../cluster/pod";
import { load, type LoadOptions } from "./load";
import type { LoadReport } from "./report";

/** Creates pods that ask until the function that this returns is called. @param nodes Theirs, by their names. */
export async function startPodsThatAsk(
  cluster: Cluster,
  nodes: Readonly<Record<string, string>>,
  asked: LoadOptions,
): Promise<() => Promise<LoadReport[]>> {
  const { kubectl } = cluster;
  await kubectl.apply(Object.entries(nodes).map(([name, node]) => pod({ name, node })));
  const running: Pod[] = [];
  for (const name of Object.keys(nodes)) {
    await kubectl.run(["wait", "--for=condition=Ready", `pod/${name}`, "--timeout=300s"]);
    running.push(await cluster.pod(name));
  }
  let end: () => void = () => undefined;
  const ends = new Promise<void>((resolve) => (end = resolve));
  const reports = Promise.all(running.map((client) => load(client, asked, () => ends)));
  reports.catch(() => undefined); // whoever ends it hears of it
  return () => {
    end();
    return reports;
  };
}
