import { beforeAll, describe, expect, it } from "vitest";
import { clusterDns } from "../../../rig/cluster/addresses";
import { agentImage, importAgentImage } from "../../../rig/cluster/agent-image";
import { between, connect, disconnect } from "../../../rig/cluster/between";
import type { Cluster } from "../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { namespaceObject, pod, service } from "../../../rig/cluster/objects";
import { until } from "../../../rig/until";
import { renderCluster } from "../../../src/charts/render-cluster";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { FederationOptions } from "../../../src/model/props/federation";
import { dig } from "../lib/dig";
import { flux, sync, untilTerminated } from "../lib/gitops";
import { ledToCache, onNode } from "../lib/node-cache";
import { useCluster } from "../lib/use-cluster";
import { eventually } from "../../eventually";

// Two clusters, each in a federation of its own and answering for the other's. Everything is real but the wire.

const server = "169.254.20.10";
const domain = "clusters.test";
const federationPort = 5301;

/** The first runs the servers of the domain of both federations. */
const sides = {
  first: { federation: { name: "retail", domain, region: "eu-west", zone: "eu-west-1a" }, address: between.first },
  second: { federation: { name: "bank", domain, region: "us-east", zone: "us-east-1b" }, address: between.second },
} as const;
type Side = keyof typeof sides;

const first = useCluster({ nodes: 1 });
const second = useCluster({ nodes: 1 }, "-second");
const clusters = { first, second };

type State = "enabled" | "draining";

/** `own` is called `only-first` or `only-second`; `both` is in both clusters. */
const services = {
  first: { both: "10.96.81.1", own: "10.96.81.2" },
  second: { both: "10.96.82.1", own: "10.96.82.2" },
} as const;

beforeAll(async () => {
  await connect(first(), second());
  for (const side of ["first", "second"] as const) {
    const { kubectl } = clusters[side]();
    await importAgentImage(clusters[side]());
    await kubectl.apply([
      namespaceObject("shop"),
      service({ name: "both", namespace: "shop", spec: { clusterIP: services[side].both } }),
      service({ name: `only-${side}`, namespace: "shop", spec: { clusterIP: services[side].own } }),
      service({ name: `db-${side}`, namespace: "shop", selector: { app: "db" }, spec: { clusterIP: "None" } }),
      pod({ name: "client", labels: { app: "client" } }),
      pod({
        name: "db",
        namespace: "shop",
        labels: { app: "db" },
        spec: { hostname: "db-0", subdomain: `db-${side}` },
      }),
    ]);
    await commit(side, "enabled");
    await publish(clusters[side](), sides[side].address);
    for (const [name, namespace] of [
      ["client", "default"],
      ["db", "shop"],
    ] as const)
      await kubectl.run(["wait", "-n", namespace, "--for=condition=Ready", `pod/${name}`, "--timeout=300s"]);
  }
  first().controlPlane.startDns("federation-dns", federationServers());
  for (const side of ["first", "second"] as const)
    await until(`an answer from the cluster DNS of the ${side} cluster at ${sides[side].address}`, 30, async () => {
      const { udp, tcp } = await dig(first().controlPlane, {
        server: sides[side].address,
        name: "dns-version.cluster.local",
        type: "TXT",
      });
      return udp.status === "NOERROR" && tcp.status === "NOERROR";
    });
});

describe.each(["enabled", "draining"] as const)("with the node cache %s", (state) => {
  beforeAll(async () => {
    for (const side of ["first", "second"] as const) {
      await commit(side, state);
      const node = clusters[side]().node(1);
      if (state === "enabled") await ledToCache(node);
      else expect(await node.exec(["ss", "-Hlnu", "src", `${server}:53`])).toBe("");
      expect(await onNode(node)).not.toEqual([]);
    }
  });

  describe.each([
    { asked: "first", other: "second" },
    { asked: "second", other: "first" },
  ] as const)("a pod of the $asked cluster", ({ asked, other }) => {
    const { federation } = sides[asked];
    const names = `shop.${federation.name}.svc.cluster.local`;
    const published = publishedNames(federation);
    const ask = (name: string) => askedIn(asked, name);

    it("gets this cluster's Service if it exists here", async () => {
      expect(await ask(`both.${names}`)).toEqual([`A ${services[asked].both}`]);
      expect(await ask(`only-${asked}.${names}`)).toEqual([`A ${services[asked].own}`]);
    });

    it("gets the other cluster's Service if it does not", async () => {
      expect(await ask(`only-${other}.${names}`)).toEqual([
        `A ${services[other].own}`,
        `CNAME only-${other}.shop.${published}.`,
      ]);
    });

    it("gets the other cluster's pods of a headless Service, by its name and theirs", async () => {
      const { address } = await clusters[other]().pod("db", "shop");
      for (const name of [`db-${other}.shop`, `db-0.db-${other}.shop`])
        expect(await ask(`${name}.${federation.name}.svc.cluster.local`)).toEqual([
          `A ${address}`,
          `CNAME ${name}.${published}.`,
        ]);
    });

    it("does not know names of the federation that its cluster is not in", async () => {
      expect(await ask(`both.shop.${sides[other].federation.name}.svc.cluster.local`)).toBe("NXDOMAIN");
    });

    it("gets no address of a Service that is in neither", async () => {
      expect(await ask(`none.${names}`)).toEqual([`CNAME none.shop.${published}.`]);
    });
  });
});

describe("without a way to each other", () => {
  beforeAll(() => disconnect(first()));

  it.each(["first", "second"] as const)("the %s cluster has its own Services", async (side) => {
    const late = { first: "10.96.81.3", second: "10.96.82.3" }[side];
    // It was never asked for, so that no cache has it.
    await clusters[side]().kubectl.apply([service({ name: "late", namespace: "shop", spec: { clusterIP: late } })]);
    const name = `late.shop.${sides[side].federation.name}.svc.cluster.local`;
    await eventually("a new Service", 30, () => askedIn(side, name), [`A ${late}`]);
  });
});

/** UDP and TCP must agree. */
async function askedIn(side: Side, name: string): Promise<readonly string[] | string> {
  const { udp, tcp } = await dig(await clusters[side]().pod("client"), { server, name });
  expect(tcp).toEqual(udp);
  return udp.status === "NOERROR" ? udp.answers : udp.status;
}

function objects(side: Side, state: State): KubernetesObject[] {
  const props: ClusterDnsProps = {
    clusterDNS: [clusterDns.ipv4],
    kubeProxyMode: "iptables",
    agentImage,
    stubDomains: { [domain]: [`${between.first}:${federationPort}`] },
    federation: sides[side].federation,
    nodeLocalDNS: { state, interception: "link-local" },
  };
  return renderCluster(clusterOf(props)).components.flatMap((each) => each.objects as KubernetesObject[]);
}

/** Brings a cluster to a state; draining comes after enabled. */
async function commit(side: Side, state: State): Promise<void> {
  const before = state === "draining" ? objects(side, "enabled") : [];
  await sync(clusters[side](), flux, { before, after: objects(side, state) });
  await untilTerminated(clusters[side](), "kube-system");
}

/** Gives the cluster DNS an address that the other cluster reaches, as a load balancer does. */
async function publish({ kubectl }: Cluster, address: string): Promise<void> {
  const ports = ["UDP", "TCP"].map((protocol) => ({ name: protocol.toLowerCase(), port: 53, protocol }));
  const spec = { type: "LoadBalancer", selector: { "k8s-app": "kube-dns" }, ports };
  const metadata = { name: "dns-for-others", namespace: "kube-system" };
  await kubectl.apply([{ apiVersion: "v1", kind: "Service", metadata, spec } satisfies KubernetesObject]);
  const status = JSON.stringify({ status: { loadBalancer: { ingress: [{ ip: address }] } } });
  await kubectl.run(["patch", "service", "dns-for-others", "-n", "kube-system", "--subresource=status", "-p", status]);
}

function publishedNames({ name, zone, region }: FederationOptions): string {
  return `${name}.svc.${zone}.${region}.${domain}`;
}

/** What the federations' own servers know: which cluster answers where one has no such Service. */
function federationServers(): string {
  const others = [
    [sides.first.federation, sides.second.address],
    [sides.second.federation, sides.first.address],
  ] as const;
  return others
    .map(([federation, address]) => {
      const zone = publishedNames(federation);
      const from = `^(.+)\\.${zone.replaceAll(".", "\\.")}\\.$`;
      return `${zone}:${federationPort} {
    rewrite stop name regex ${from} {1}.svc.cluster.local. answer auto
    forward . ${address}
    errors
}
`;
    })
    .join("");
}
