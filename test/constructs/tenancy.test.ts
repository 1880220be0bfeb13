import { expect, it } from "vitest";
import { Tenancy } from "../../src/constructs/tenancy";
import type { TenancyOptions } from "../../src/model/props/tenancy";
import { cached } from "../cached";
import { render } from "./rendered";

const tenancy: TenancyOptions = { tenants: [{ name: "baz", namespaces: ["bar"] }], isolation: "hard" };
const nodeLocalDNS = { state: "disabled" } as const;
const props = { ...cached, kubernetesVersion: "1.34", clusterDomain: "corp.internal", tenancy, nodeLocalDNS };

it("has no objects otherwise, and returns the search list of tenants' pods", () => {
  const soft = { ...props, tenancy: { ...tenancy, isolation: "soft" } } as const;
  const { objects } = render((chart) => {
    const searches = new Tenancy(chart, "tenancy", soft).searchList({ tenant: "baz", namespace: "bar" });
    expect(searches).toEqual(["bar.baz.svc.corp.internal", "baz.svc.corp.internal"]);
  });
  expect(objects).toEqual([]);
});
