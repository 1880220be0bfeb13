import { describe, expect, it } from "vitest";
import { problemsOf } from "./problems";

const noImage =
  "is not an image; accepted: [REGISTRY/]NAME:TAG, [REGISTRY/]NAME@sha256:DIGEST or [REGISTRY/]NAME:TAG@sha256:DIGEST";
const noVersion = "names no version; add :TAG or @sha256:DIGEST";
const changing = "changes under the running pods; name a version or a digest";
const noRegistry = "is not a registry; accepted: HOST[:PORT][/PATH], without a scheme or a final /";

describe("images: what is refused, and the message", () => {
  it.each<[path: string, props: (value: string) => object, reason: string, ...values: string[]]>([
    ["agentImage", (agentImage) => ({ agentImage }), noVersion, "registry.example/agent"],
    ["agentImage", (agentImage) => ({ agentImage }), changing, "registry.example/agent:latest"],
    [
      "agentImage",
      (agentImage) => ({ agentImage }),
      noImage,
      "registry.example/Agent:1",
      "https://registry.example/agent:1",
      "agent@sha256:12",
      "",
      "[fd00:::1]/agent:1",
    ],
    ["authoritativeDNS.image", (image) => ({ authoritativeDNS: { image } }), noImage, "coredns:v1 "],
    [
      "authoritativeDNS.autoscaler.image",
      (image) => ({ authoritativeDNS: { autoscaler: { image } } }),
      noVersion,
      "cpa",
    ],
    ["nodeLocalDNS.image", (image) => ({ nodeLocalDNS: { state: "disabled", image } }), changing, "coredns:latest"],
    [
      "imageRegistry",
      (imageRegistry) => ({ imageRegistry }),
      noRegistry,
      "https://mirror.example",
      "mirror.example/",
      "[fd00::1",
      "fd00::1",
      "a..b",
      "10.0.0.1:99999",
      "mirror.example/a..b",
    ],
  ])("%s", (path, props, reason, ...values) => {
    for (const value of values) expect(problemsOf(props(value))).toEqual([`${path}: "${value}" ${reason}`]);
  });
});

it.each<[what: string, props: object]>([
  [
    "a digest",
    {
      agentImage:
        "registry.example:5000/team/agent@sha256:0000000000000000000000000000000000000000000000000000000000000000",
    },
  ],
  [
    "latest with a digest",
    { agentImage: "agent:latest@sha256:0000000000000000000000000000000000000000000000000000000000000000" },
  ],
  ["an IPv6 address as registry", { agentImage: "[fd00::1]:5000/name:tag", "nodeLocalDNS.image": "[FD00::1]/a/b:1" }],
  ["an IPv6 address as mirror", { imageRegistry: "[fd00::1]:5000/k8s" }],
  ["a registry with port and path", { imageRegistry: "mirror.example:5000/k8s" }],
])("accepts %s", (_, props) => {
  expect(problemsOf(props)).toEqual([]);
});
