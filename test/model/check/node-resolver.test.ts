import { describe, expect, it } from "vitest";
import { agentImage, problemsOf } from "./problems";

const service = "image-registry.openshift-image-registry.svc";
const nodeResolver = { services: [service] };

it("accepts Services and its other options", () => {
  const all = { services: [service, "a.b.svc"], interval: "30s", seLinuxOptions: { type: "spc_t" }, state: "removed" };
  expect(problemsOf({ agentImage, nodeResolver })).toEqual([]);
  expect(problemsOf({ agentImage, nodeResolver: all })).toEqual([]);
});

it("names each service once", () => {
  expect(problemsOf({ agentImage, nodeResolver: { services: [service, service] } })).toEqual([
    `nodeResolver.services[1]: "${service}" is named twice; keep one`,
  ]);
});

it("needs the agent's image", () => {
  expect(problemsOf({ nodeResolver })).toEqual([expect.stringMatching(/^agentImage: is missing: the node-resolver/)]);
});

describe("an image in a registry that nodes only find once it runs", () => {
  const inside = `${service}:5000/openshift/agent:1`;
  const refused = (path: string) => [
    expect.stringMatching(new RegExp(`^${path}: .* is in a registry that nodes only find once its pods run`)),
  ];

  it.each([inside, `${service}.cluster.local:5000/agent:1`, `${service}/agent:1`])(
    "is refused for the agent: %s",
    (image) => expect(problemsOf({ agentImage: image, nodeResolver })).toEqual(refused("agentImage")),
  );

  it("is refused for CoreDNS", () => {
    expect(problemsOf({ agentImage, nodeResolver, authoritativeDNS: { image: inside } })).toEqual(
      refused("authoritativeDNS.image"),
    );
    expect(problemsOf({ agentImage, nodeResolver, imageRegistry: `${service}:5000/k8s` })).toEqual(
      refused("imageRegistry"),
    );
  });

  it("is accepted for what can wait, and with existing DNS", () => {
    expect(problemsOf({ agentImage, nodeResolver, nodeLocalDNS: { image: inside } })).toEqual([]);
    const authoritativeDNS = { kind: "Existing" };
    expect(problemsOf({ agentImage, nodeResolver, authoritativeDNS, imageRegistry: `${service}:5000` })).toEqual([]);
    const elsewhere = { authoritativeDNS: { image: "registry.example/coredns:v1.14.7" }, imageRegistry: service };
    expect(problemsOf({ agentImage, nodeResolver, ...elsewhere })).toEqual([]);
    expect(problemsOf({ agentImage: `other-${inside}`, nodeResolver })).toEqual([]);
  });
});
