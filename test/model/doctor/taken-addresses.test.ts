import { expect, it } from "vitest";
import type { Service } from "../../../src/model/kubernetes/kinds";
import * as edit from "./edit";
import { commands, described, findingsOf, idsOf, props } from "./healthy";

const [linkLocal = ""] = described().cluster.nameservers;

const other = (more: Partial<Service["spec"]>, status?: Service["status"], namespace = "kube-system"): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "other", namespace },
  spec: { selector: { a: "b" }, ports: [{ port: 53, protocol: "UDP" }], ...more },
  ...(status && { status }),
});

const own = "10.96.0.10";
it.each<[what: string, Service, address?: string, place?: number]>([
  ["externalIPs", other({ externalIPs: ["192.0.2.1", own] }), own, 1],
  ["the address that pods ask", other({ externalIPs: [linkLocal] }), linkLocal],
  ["by TCP", other({ externalIPs: [own], ports: [{ port: 80 }, { port: 53 }] })],
  ["another namespace that is read", other({ externalIPs: [own] }, undefined, "dns")],
])("%s", (_, service, address = own, place = 0) => {
  const namespace = service.metadata.namespace ?? "";
  const findings = findingsOf(edit.adding("services", [service]));
  const evidence = expect.arrayContaining([`spec.externalIPs has ${address}`]) as unknown;
  expect(findings).toMatchObject([{ id: "address-taken", where: `Service ${namespace}/other`, evidence }]);
  const at = { path: `/spec/externalIPs/${place}`, value: address };
  const operations = JSON.stringify([
    { op: "test", ...at },
    { op: "remove", path: at.path },
  ]);
  expect(commands(findings[0]).at(-1)).toContain(`-p '${operations}' -n ${namespace} `);
});

it("a Service of a load balancer", () => {
  const ingress = [{ ip: "192.0.2.1" }, { ip: own }];
  const findings = findingsOf(
    edit.adding("services", [other({ type: "LoadBalancer" }, { loadBalancer: { ingress } })]),
  );
  const evidence = expect.arrayContaining([`status.loadBalancer has ${own}`]) as unknown;
  expect(findings).toMatchObject([{ id: "address-taken", where: "Service kube-system/other", evidence }]);
  expect(commands(findings[0]).at(-1)).toContain("# let its load balancer have another address");
});

it("is any that kube-proxy may lead queries to: not with other ports, nor an address of its own", () => {
  const without = [
    other({ externalIPs: [own], ports: [{ port: 5353, protocol: "UDP" }] }),
    other({ externalIPs: ["192.0.2.1"] }),
    other({ clusterIPs: ["10.96.0.99"] }),
  ];
  for (const each of without) expect(idsOf(edit.adding("services", [each]))).toEqual([]);
  const ofOurs = edit.changing("services", "kube-dns", { spec: { externalIPs: [own] } });
  expect(idsOf(ofOurs)).not.toContain("address-taken");
});

it("takes what the API server sends to the webhook", () => {
  const from = described({ ...props, admission: { allowedUsers: ["admin"], enforcement: "webhook" } });
  const service = other({ externalIPs: ["10.96.1.1"], ports: [{ port: 443 }] });
  expect(idsOf(edit.adding("services", [service], from), from)).toContain("address-taken");
  expect(idsOf(edit.adding("services", [service]))).toEqual([]);
});

it("is found in another spelling", () => {
  const from = described({ ...props, clusterDNS: ["fd00:96::a"] });
  const service = other({ externalIPs: ["fd00:96:0::000a"] });
  expect(idsOf(edit.adding("services", [service], from), from)).toEqual(["address-taken"]);
});
