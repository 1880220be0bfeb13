import { expect, it } from "vitest";
import { coreDnsVersionIn } from "../../src/model/images";

it.each([
  ["registry.k8s.io/coredns/coredns:v1.14.2", "1.14.2"],
  ["mirror.example:5000/coredns:1.9.3", "1.9.3"],
  ["eks/coredns:v1.11.4-eksbuild.2", "1.11.4"],
  [`registry.k8s.io/coredns/coredns:v1.14.2@sha256:${"0".repeat(64)}`, "1.14.2"],
  [`mirror.example:5000/coredns@sha256:${"0".repeat(64)}`, undefined],
  ["mirror.example/dns:stable", undefined],
])("the version of CoreDNS in an image: %s", (image, version) => expect(coreDnsVersionIn(image)).toBe(version));
