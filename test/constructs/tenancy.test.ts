import { expect, it } from "vitest";
import { ClusterDns } from "../../src/constructs/cluster-dns";
import { Tenancy } from "../../src/constructs/tenancy";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import type { TenancyOptions } from "../../src/model/props/tenancy";
import { cached } from "../cached";
import { render } from "./rendered";

const tenancy: TenancyOptions = { tenants: [{ name: "baz", namespaces: ["bar"] }], isolation: "hard" };
const nodeLocalDNS = { state: "disabled" } as const;
const props = { ...cached, kubernetesVersion: "1.34", clusterDomain: "corp.internal", tenancy, nodeLocalDNS };

it("has a policy and its binding if isolation is hard", () => {
  const { names, objects } = render((chart) => new Tenancy(chart, "tenancy", { ...props, labels: { team: "dns" } }));
  expect(names).toEqual(["", "Binding"].map((end) => `ValidatingAdmissionPolicy${end} cluster-dns-external-names`));
  for (const object of objects) expect(object.metadata?.labels).toMatchObject({ team: "dns" });
});

it("has no objects otherwise, and returns the search list of tenants' pods", () => {
  const soft = { ...props, tenancy: { ...tenancy, isolation: "soft" } } as const;
  const { objects } = render((chart) => {
    const searches = new Tenancy(chart, "tenancy", soft).searchList({ tenant: "baz", namespace: "bar" });
    expect(searches).toEqual(["bar.baz.svc.corp.internal", "baz.svc.corp.internal"]);
  });
  expect(objects).toEqual([]);
});

it("works with a disabled node cache", () => {
  const whole: ClusterDnsProps = { ...props, agentImage: "registry.example/agent:1" };
  render((chart) => {
    expect(new ClusterDns(chart, "hard", whole).tenancy?.policies).toHaveLength(2);
  });
});
