import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { repositoryRoot, readText } from "../../../rig/repository";
import { diffLive } from "../../../src/live/diff-live";
import { useCluster } from "../lib/use-cluster";
import { argv } from "../../../rig/argv";
import { temporaryFolder } from "../../temporary-folder";
import { administrate } from "../lib/documented-commands";

const name = "kubeadm-iptables";
const described = readText(`clusters/${name}.yaml`);
const clustersFolder = temporaryFolder("diff-live");

/** What `cdk8s-cluster-dns diff --live` finds for a cluster file with this added. */
function found(added = "", description = described) {
  writeFileSync(join(clustersFolder, `${name}.yaml`), `${description}${added}`);
  return diffLive({ clustersFolder, name, context: "cluster-dns", fieldManager: "kubectl" });
}

const cluster = useCluster({ apiServerOnly: "1.37", nodes: 0 });

beforeAll(() => administrate(cluster()));
afterAll(() => void vi.unstubAllEnvs());

it("nothing changes once it is applied, and asking writes nothing", async () => {
  const { kubectl } = cluster();
  const folder = join(repositoryRoot, "dist", name);
  await kubectl.apply(folder, { serverSide: true, fieldManager: "kubectl" });
  const versions = () => kubectl.run(argv`get -k ${folder} -o jsonpath={.items[*].metadata.resourceVersion}`);
  const applied = await versions();
  expect(found()).toEqual({ problems: [], diffs: [] });
  found("authoritativeDNS: {replicas: 3}\nnodeLocalDNS: {watchdog: false}\n");
  expect(await versions()).toBe(applied);
});

it("shows what changes, and what is no longer rendered", () => {
  const { problems, diffs } = found("authoritativeDNS: {replicas: 3}\nnodeLocalDNS: {watchdog: false}\n");
  expect(problems).toEqual([]);
  const objects = diffs.flatMap((diff) => diff.objects);
  expect(objects.filter(({ what }) => what === "deleted").map(({ object }) => object)).toEqual([
    "ServiceAccount kube-system/node-local-dns-watchdog",
    "DaemonSet kube-system/node-local-dns-watchdog",
  ]);
  const [coredns] = objects.filter(({ object }) => object === "Deployment kube-system/coredns");
  expect(coredns?.differences).toEqual([{ path: ["spec", "replicas"], before: 2, after: 3 }]);
});

it("reports what the server refuses, and shows the rest", () => {
  const { problems, diffs } = found("authoritativeDNS: {replicas: 3}\n", described.replace("0.10]", "0.11]"));
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^kubectl .*The Service "kube-dns" is invalid: [^]*spec\.clusterIPs?/),
  ]);
  const shown = diffs.flatMap(({ objects }) => objects.map(({ object }) => object));
  expect(shown).toContain("Deployment kube-system/coredns");
});
