import { beforeAll, expect, it } from "vitest";
import { Scratch } from "./scratch";

const scratch = new Scratch();
beforeAll(() => {
  scratch.write("clusters/prod.yaml", "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n");
});

it("prints numbered steps with the commands for this cluster's file and folder, and writes nothing", () => {
  const { exitCode, stdout, stderr } = scratch.run("leave", "prod", "--out", "manifests");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(/^1\. Set nodeLocalDNS: .* in clusters\/prod\.yaml\..*\n {5}npx .* synth prod$/m);
  expect(stdout).toMatch(/^ {5}kubectl apply --server-side --force-conflicts --kustomize manifests\/prod$/m);
});

it("prints the same as JSON, with ids", () => {
  const { stdout } = scratch.run("leave", "prod", "--to", "nothing", "--format", "json");
  const { result } = JSON.parse(stdout) as { result: { steps: { id: string }[] } };
  expect(result.steps.map(({ id }) => id)).toContain("remove-core-dns");
});

it("refuses another destination", () => {
  expect(scratch.run("leave", "prod", "--to", "kops")).toMatchObject({ exitCode: 2, stdout: "" });
});

it.each([
  ["kubectl", "", /^git |^kubeadm /],
  ["Flux", "gitops: {flux: {}}\n", /^sh -c .* sh --context 'a b'$|^git |^kubeadm /],
])("prints the commands of %s for the cluster of a context", (_, gitops, more) => {
  const command = new RegExp(`^kubectl --context 'a b' |^npx .* synth prod$|${more.source}`);
  scratch.write("clusters/prod.yaml", `clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n${gitops}`);
  const { stdout } = scratch.run("leave", "prod", "--context", "a b");
  const commands = [...stdout.matchAll(/^ {5}(.*)$/gm)].map(([, each]) => each);
  expect(commands.length).toBeGreaterThan(5);
  expect(commands.filter((each) => !command.test(each ?? ""))).toEqual([]);
});
