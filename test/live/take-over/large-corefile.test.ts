import { expect, it } from "vitest";
import { corefile, kubeadm, taken } from "./objects";

const zone = (i: number) => `stub${i}.corp.example {\n  errors\n  forward . 10.1.${i >> 8}.${i & 255}\n}\n`;
const stubs = (count: number) => corefile("", undefined, Array.from({ length: count }, (_, i) => zone(i)).join(""));

it("a Corefile of 4 MB, which no ConfigMap has, is missed", () => {
  expect(taken(kubeadm(stubs(70_000))).different).toEqual([
    expect.stringMatching(/^ConfigMap coredns: cannot be read as a Corefile: has 4\d{6} characters/),
  ]);
});

it("a Corefile is refused if ours would be larger than a ConfigMap may be", () => {
  expect(() => taken(kubeadm(stubs(8000)))).toThrow(/^the Corefile that takes its place would have \d{7} characters/);
});
