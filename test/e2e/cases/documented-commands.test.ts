import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { clusterDns } from "../../../rig/cluster/addresses";
import { deploy } from "../../../rig/cluster/deploy";
import { keep } from "../../../rig/cluster/images";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { tar } from "../../../rig/cluster/tar";
import { complaints } from "../../../src/model/doctor/complaints";
import { busybox, busyboxOnHost, defaultSubdomain } from "../../seeds/examples";
import { dig, answered, knownToDns } from "../lib/dig";
import { documentedCommands, runDocumented } from "../lib/documented-commands";
import { ofBusyMachine } from "../lib/busy-machine";
import { useCluster } from "../lib/use-cluster";
import { eventually } from "../../eventually";
import type { EndpointSlice } from "../../../src/model/kubernetes/kinds";
import { facts } from "../lib/usual";
import { podsOf, readyDnsAddresses } from "../lib/programs";

const cluster = useCluster();

beforeAll(async () => {
  await deploy(cluster(), {
    ...facts,
    networkPolicies: true,
  });
  const client = await cluster().startPod({ name: "client", node: "node-1" });
  // So that every CoreDNS has answered, also for a name outside.
  await knownToDns(cluster(), client, { "www.outside.test": ["192.0.2.1"] });
});

it.each(documentedCommands("docs/troubleshooting.md"))("docs/troubleshooting.md: %s", async (command) => {
  const finished = await runDocumented(cluster(), command, { POD: "client", NAMESPACE: "default", NODE: "node-1" });
  expect(finished).toMatchObject({ code: 0, stdout: expect.stringMatching(/\S/), stderr: "" });
});

// The image is Debian's busybox: today's, where the document had that of 2016.
describe("the checks of DNS Pods and Services, as it has them", () => {
  const own = ["--namespace=kube-system", "-l", "k8s-app=kube-dns"];
  const exec = (...argv: string[]) => cluster().kubectl.attempt(["exec", "busybox", "--", ...argv]);

  beforeAll(async () => {
    const data = readFileSync("/usr/bin/busybox");
    const paths = ["bin/sleep", "bin/nslookup", "bin/cat"];
    const image = keep("busybox", () => ({
      names: ["docker.io/library/busybox:latest"],
      layers: [tar(paths.map((path) => ({ path, data })))],
      entrypoint: [],
    }));
    await cluster().importImage(image);
    await cluster().kubectl.apply([parse(busybox) as KubernetesObject]);
    await cluster().readyPod("busybox");
  });

  it("kubectl get pods busybox", async () => {
    expect(await cluster().kubectl.run(["get", "pods", "busybox"])).toMatch(/^busybox +1\/1 +Running /m);
  });

  it("kubectl exec busybox -- nslookup kubernetes.default", async () => {
    // Since 1.28, busybox' own nslookup ignores the search list: the name as it stands does not exist.
    const short = await exec("nslookup", "kubernetes.default");
    expect(short.code).toBe(1);
    expect(short.stdout).toMatch(/^Server:\s+10\.96\.0\.10$[^]*can't find kubernetes\.default: NXDOMAIN/m);
    const whole = await exec("nslookup", "kubernetes.default.svc.cluster.local");
    expect(whole).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Address: 10\.96\.0\.1$/m) });
    // What reads resolv.conf as the busybox of 2016 did.
    const running = await cluster().pod("busybox");
    expect(await running.exec(["nslookup", "kubernetes.default"])).toMatch(
      /^Server:\s+10\.96\.0\.10$[^]*^Name:\s+kubernetes\.default\.svc\.cluster\.local$\n^Address: 10\.96\.0\.1$/m,
    );
    expect(await running.exec(["getent", "ahostsv4", "kubernetes.default"])).toMatch(/^10\.96\.0\.1 /);
  });

  it("kubectl exec busybox cat /etc/resolv.conf", async () => {
    const { stdout } = await exec("cat", "/etc/resolv.conf");
    expect(stdout.split("\n").sort()).toEqual([
      "",
      "nameserver 10.96.0.10",
      "options ndots:5",
      "search default.svc.cluster.local svc.cluster.local cluster.local",
    ]);
  });

  it("kubectl get pods, and logs: DNS pods run, and say what they are", async () => {
    const rows = async () => (await cluster().kubectl.run(["get", "pods", ...own, "--no-headers"])).trim().split("\n");
    const running: unknown = expect.stringMatching(/^coredns-\S+ +1\/1 +Running /);
    await eventually("two that are ready", 60, rows, [running, running]);
    for (const { metadata } of await podsOf(cluster(), "kube-dns")) {
      const log = await cluster().kubectl.run(["logs", "--namespace=kube-system", metadata.name, "-c", "coredns"]);
      expect(log).toMatch(/^CoreDNS-\d/m);
      expect(log).not.toContain("[FATAL]");
      const said = complaints.filter(({ pattern }) => log.split("\n").some((line) => pattern.test(line)));
      expect(said.map(({ id }) => id).filter((id) => !ofBusyMachine.includes(id))).toEqual([]);
    }
  });

  it("busybox with hostNetwork: finds names with ClusterFirstWithHostNet, and with ClusterFirst does not", async () => {
    const onHost = parse(busyboxOnHost) as KubernetesObject & { spec: object };
    const { dnsPolicy: _, ...byDefault } = onHost.spec as { dnsPolicy: string };
    const find = async (name: string, spec: object) => {
      await cluster().kubectl.apply([{ ...onHost, metadata: { ...onHost.metadata, name }, spec }]);
      return (await (await cluster().readyPod(name)).attempt(["getent", "ahostsv4", "kubernetes.default"])).stdout;
    };
    expect(await find("on-host", onHost.spec)).toMatch(/^10\.96\.0\.1 /);
    expect(await find("on-host-by-default", byDefault)).toBe("");
  });

  it("default-subdomain: both pods have names and A records of their own", async () => {
    const objects = parseAllDocuments(defaultSubdomain).map((document) => document.toJS() as KubernetesObject);
    // With no tag, a kubelet would ask a registry that the tests have not.
    for (const { kind, spec } of objects)
      if (kind === "Pod")
        for (const container of (spec as { containers: { imagePullPolicy?: string }[] }).containers)
          container.imagePullPolicy = "IfNotPresent";
    await cluster().kubectl.apply(objects, { namespace: "default" });
    const asker = await cluster().pod("client");
    for (const number of [1, 2]) {
      const itself = await cluster().readyPod(`busybox${number}`);
      const name = `busybox-${number}.default-subdomain.default.svc.cluster.local`;
      expect((await itself.exec(["hostname", "-f"])).trim()).toBe(name);
      const ask = () => dig(asker, { server: clusterDns.ipv4, name });
      await eventually("the pod's name", 60, ask, answered(`A ${itself.address}`));
    }
  });

  it("DNS pods reach the API server at the address of its Service", async () => {
    for (const { metadata } of await podsOf(cluster(), "kube-dns")) {
      const server = await cluster().pod(metadata.name, "kube-system");
      // A watch that broke is opened again within seconds.
      const listPeers = () => server.exec(["ss", "--tcp", "--numeric", "--no-header", "state", "established"]);
      await eventually("a watch", 120, listPeers, (peers) => expect(peers).toContain(" 10.96.0.1:443 "));
    }
  });

  it("kubectl get svc, and its endpoints: the addresses of the DNS pods", async () => {
    expect(await cluster().kubectl.run(["get", "svc", "--namespace=kube-system"])).toMatch(
      /^kube-dns +ClusterIP +10\.96\.0\.10 +<none> +53\/UDP,53\/TCP,9153\/TCP /m,
    );
    const ips = (await podsOf(cluster(), "kube-dns")).map(({ status }) => status?.podIP).sort();
    await eventually("their addresses, all ready", 60, async () => (await readyDnsAddresses(cluster())).sort(), ips);
    const of = "kubernetes.io/service-name=kube-dns";
    const [slice] = await cluster().kubectl.list<Slice>("endpointslices", "kube-system", of);
    const ports = slice?.ports.map(({ name, port, protocol }) => `${name} ${port}/${protocol}`);
    expect(ports?.sort()).toEqual(["dns 53/UDP", "dns-tcp 53/TCP", "metrics 9153/TCP"]);
    const listed = await cluster().kubectl.run(["get", "ep", "kube-dns", "--namespace=kube-system", "--no-headers"]);
    expect(listed).toMatch(new RegExp(`^kube-dns +\\S*${ips[0]?.replaceAll(".", "[.]")}:`));
  });
});

interface Slice extends EndpointSlice {
  readonly ports: readonly { readonly name: string; readonly port: number; readonly protocol: string }[];
}
