import { describe, expect, it } from "vitest";
import { problemsOf } from "./problems";

describe("images: what is refused, and the message", () => {
  it.each<[message: string, props: object]>([
    [
      'agentImage: "registry.example/agent" names no version; add :TAG or @sha256:DIGEST',
      { agentImage: "registry.example/agent" },
    ],
    [
      'agentImage: "registry.example/agent:latest" changes under the running pods; name a version or a digest',
      { agentImage: "registry.example/agent:latest" },
    ],
    [
      'agentImage: "registry.example/Agent:1" is not an image; accepted: [REGISTRY/]NAME:TAG, [REGISTRY/]NAME@sha256:DIGEST or [REGISTRY/]NAME:TAG@sha256:DIGEST',
      { agentImage: "registry.example/Agent:1" },
    ],
    [
      'agentImage: "https://registry.example/agent:1" is not an image; accepted: [REGISTRY/]NAME:TAG, [REGISTRY/]NAME@sha256:DIGEST or [REGISTRY/]NAME:TAG@sha256:DIGEST',
      { agentImage: "https://registry.example/agent:1" },
    ],
    [
      'agentImage: "agent@sha256:12" is not an image; accepted: [REGISTRY/]NAME:TAG, [REGISTRY/]NAME@sha256:DIGEST or [REGISTRY/]NAME:TAG@sha256:DIGEST',
      { agentImage: "agent@sha256:12" },
    ],
    [
      'agentImage: "" is not an image; accepted: [REGISTRY/]NAME:TAG, [REGISTRY/]NAME@sha256:DIGEST or [REGISTRY/]NAME:TAG@sha256:DIGEST',
      { agentImage: "" },
    ],
    [
      'authoritativeDNS.image: "coredns:v1 " is not an image; accepted: [REGISTRY/]NAME:TAG, [REGISTRY/]NAME@sha256:DIGEST or [REGISTRY/]NAME:TAG@sha256:DIGEST',
      { authoritativeDNS: { image: "coredns:v1 " } },
    ],
    [
      'authoritativeDNS.autoscaler.image: "cpa" names no version; add :TAG or @sha256:DIGEST',
      { authoritativeDNS: { autoscaler: { image: "cpa" } } },
    ],
    [
      'nodeLocalDNS.image: "coredns:latest" changes under the running pods; name a version or a digest',
      { nodeLocalDNS: { state: "disabled", image: "coredns:latest" } },
    ],
    [
      'imageRegistry: "https://mirror.example" is not a registry; accepted: HOST[:PORT][/PATH], without a scheme or a final /',
      { imageRegistry: "https://mirror.example" },
    ],
    [
      'imageRegistry: "mirror.example/" is not a registry; accepted: HOST[:PORT][/PATH], without a scheme or a final /',
      { imageRegistry: "mirror.example/" },
    ],
    [
      'imageRegistry: "[fd00::1" is not a registry; accepted: HOST[:PORT][/PATH], without a scheme or a final /',
      { imageRegistry: "[fd00::1" },
    ],
    ...["a..b", "10.0.0.1:99999", "mirror.example/a..b"].map((imageRegistry): [string, object] => [
      `imageRegistry: "${imageRegistry}" is not a registry; accepted: HOST[:PORT][/PATH], without a scheme or a final /`,
      { imageRegistry },
    ]),
    [
      'imageRegistry: "fd00::1" is not a registry; accepted: HOST[:PORT][/PATH], without a scheme or a final /',
      { imageRegistry: "fd00::1" },
    ],
    [
      'agentImage: "[fd00:::1]/agent:1" is not an image; accepted: [REGISTRY/]NAME:TAG, [REGISTRY/]NAME@sha256:DIGEST or [REGISTRY/]NAME:TAG@sha256:DIGEST',
      { agentImage: "[fd00:::1]/agent:1" },
    ],
  ])("%s", (message, props) => {
    expect(problemsOf(props)).toEqual([message]);
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
  [
    "an IPv6 address as registry",
    { agentImage: "[fd00::1]:5000/name:tag", nodeLocalDNS: { image: "[FD00::1]/a/b:1" } },
  ],
  ["an IPv6 address as mirror", { imageRegistry: "[fd00::1]:5000/k8s" }],
  ["a registry with port and path", { imageRegistry: "mirror.example:5000/k8s" }],
])("accepts %s", (_, props) => {
  expect(problemsOf(props)).toEqual([]);
});
