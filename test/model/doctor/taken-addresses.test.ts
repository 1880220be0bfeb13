import { describe, expect, it } from "vitest";
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

describe("a Service that has an address of ours beside its own", () => {
  const where = "Service kube-system/other";
  const ofBalancer = (ip: string) => ({ loadBalancer: { ingress: [{ ip: "192.0.2.1" }, { ip }] } });
  const removing = (path: string, value: string) =>
    `-p '${JSON.stringify([
      { op: "test", path, value },
      { op: "remove", path },
    ])}' -n kube-system `;

  it.each<[what: string, Service, evidence: string, mend: string]>([
    [
      "externalIPs",
      other({ externalIPs: ["192.0.2.1", "10.96.0.10"] }),
      "spec.externalIPs has 10.96.0.10",
      removing("/spec/externalIPs/1", "10.96.0.10"),
    ],
    [
      "the address that pods ask",
      other({ externalIPs: [linkLocal] }),
      `spec.externalIPs has ${linkLocal}`,
      removing("/spec/externalIPs/0", linkLocal),
    ],
    [
      "by TCP",
      other({ externalIPs: ["10.96.0.10"], ports: [{ port: 80 }, { port: 53 }] }),
      "spec.externalIPs has 10.96.0.10",
      removing("/spec/externalIPs/0", "10.96.0.10"),
    ],
    [
      "another namespace that is read",
      other({ externalIPs: ["10.96.0.10"] }, undefined, "dns"),
      "spec.externalIPs has 10.96.0.10",
      removing("/spec/externalIPs/0", "10.96.0.10").replace("kube-system", "dns"),
    ],
    [
      "of a load balancer",
      other({ type: "LoadBalancer" }, ofBalancer("10.96.0.10")),
      "status.loadBalancer has 10.96.0.10",
      "# let its load balancer have another address",
    ],
  ])("%s", (_, service, evidence, mend) => {
    const [finding, ...more] = findingsOf(edit.adding("services", [service]));
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      id: "address-taken",
      where: where.replace("kube-system", service.metadata.namespace ?? ""),
    });
    expect(finding?.evidence[0]).toBe(evidence);
    expect(commands(finding).at(-1)).toContain(mend);
  });

  it("is any that kube-proxy may lead queries to: not with other ports, nor an address of its own", () => {
    const without = [
      other({ externalIPs: ["10.96.0.10"], ports: [{ port: 5353, protocol: "UDP" }] }),
      other({ externalIPs: ["192.0.2.1"] }),
      other({ clusterIPs: ["10.96.0.99"] }),
    ];
    for (const each of without) expect(idsOf(edit.adding("services", [each]))).toEqual([]);
    const own = edit.changing("services", "kube-dns", { spec: { externalIPs: ["10.96.0.10"] } });
    expect(idsOf(own)).not.toContain("address-taken");
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
});
