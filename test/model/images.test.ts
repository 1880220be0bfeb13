import { expect, it } from "vitest";
import { isCoreDnsBefore } from "../../src/model/images";

it.each([
  ["registry.k8s.io/coredns/coredns:v1.14.2", true],
  ["registry.k8s.io/coredns/coredns:v1.14.3", false],
  ["mirror.example:5000/coredns:1.9.3", true],
  ["eks/coredns:v1.11.4-eksbuild.2", true],
  [`registry.k8s.io/coredns/coredns:v1.14.2@sha256:${"0".repeat(64)}`, true],
  [`mirror.example:5000/coredns@sha256:${"0".repeat(64)}`, false],
  ["mirror.example/dns:stable", false],
])("whether an image is older than a version of CoreDNS: %s", (image, isBefore) => {
  expect(isCoreDnsBefore("1.14.3", image)).toBe(isBefore);
});
