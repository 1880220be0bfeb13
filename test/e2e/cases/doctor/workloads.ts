import { describe, expect, it } from "vitest";
import type { FindingId } from "../../../../src/model/doctor/findings";
import { eventually } from "../../../eventually";
import { type Examined, corefileOf } from "./examined";

/** A change of CoreDNS's Deployment, and what the doctor finds then in its pods. */
interface Case {
  readonly what: string;
  /** Of the container. */
  readonly container?: object;
  /** Of the pod. */
  readonly spec?: object;
  readonly id: FindingId;
  readonly evidence: RegExp;
}

const cases: readonly Case[] = [
  {
    what: "an image that nobody can pull",
    container: { image: "127.0.0.1:1/coredns:0" },
    id: "image-not-pulled",
    evidence: /127\.0\.0\.1:1/,
  },
  {
    what: "a node that does not exist",
    spec: { nodeSelector: { no: "node" } },
    id: "unschedulable",
    evidence: /didn't match Pod's node affinity\/selector/,
  },
  {
    what: "a readiness probe that never succeeds",
    container: { readinessProbe: { httpGet: { path: "/nowhere" } } },
    id: "not-ready",
    evidence: /container coredns runs, but is not ready/,
  },
  {
    what: "a variable from a ConfigMap that does not exist",
    container: { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "nobodys", key: "a" } } }] },
    id: "cannot-start",
    evidence: /configmap "nobodys" not found/,
  },
  {
    what: "an option that CoreDNS does not have",
    container: { command: ["/coredns", "-nonsense"] },
    id: "crash-loop",
    evidence: /it said: flag provided but not defined: -nonsense/,
  },
  {
    what: "no priority, and less disk than its log needs",
    container: { resources: { limits: { "ephemeral-storage": "1" } } },
    spec: { priorityClassName: null },
    id: "evicted-again",
    evidence: /^[3-9] pods .*ephemeral/,
  },
];

/** Pods that do not run, by every cause that the doctor tells apart. */
export function workloads(x: Examined): void {
  const { expectFound } = x;
  describe("finds pods of CoreDNS that do not serve:", () => {
    const changed = async (spec: object) => {
      x.putBack(() => x.recreate("coredns"));
      await x.patch("deployment", "coredns", { spec: { template: { spec } } });
    };

    it.each(cases)("$what", async ({ container, spec, id, evidence }) => {
      await changed({ ...spec, ...(container && { containers: [{ name: "coredns", ...container }] }) });
      await expectFound(id, /Deployment (kube-system\/)?coredns$/, { evidence });
    });

    it("a Deployment that somebody has scaled", async () => {
      const scale = (replicas: number) => x.patch("deployment", "coredns", { spec: { replicas } });
      x.putBack(x.reapply);
      await scale(1);
      await expectFound("scaled-down", "Deployment kube-system/coredns");
      await scale(0);
      await expectFound("scaled-to-zero", "Deployment kube-system/coredns");
      await eventually("no pods", 60, async () => (await x.coreDns()).length, 0);
      expect((await x.findings()).map(({ id }) => id)).not.toContain("no-endpoint");
    });

    it("a memory limit that is too low", async () => {
      const resources = { requests: { memory: "4Mi" }, limits: { memory: "6Mi" } };
      await changed({ containers: [{ name: "coredns", resources }] });
      await expectFound("low-memory-limit", "Deployment kube-system/coredns");
      await expectFound("out-of-memory", /Deployment coredns$/, { evidence: /6Mi of the template/ });
    });

    it("a Corefile that does not parse, mounted by the Deployment", async () => {
      await x.make(corefileOf("coredns-by-hand", ".:53 {\n  forward\n}\n"));
      await changed({ volumes: [{ name: "config-volume", configMap: { name: "coredns-by-hand" } }] });
      await expectFound("other-configuration", "Deployment kube-system/coredns");
      await expectFound("older-pods", "Deployment kube-system/coredns");
      await expectFound("corefile-refused", /coredns-|pods$/);
      await expectFound("crash-loop", / of Deployment coredns$/);
    });
  });
}
