import type * as k8s from "cdk8s-plus-27/lib/imports/k8s";
import type { DnsService } from "../model/dns-service";
import { goMemoryLimit } from "../model/size/memory";
import type { Placement } from "../model/full-props/placement";
import { contentHash } from "../model/corefile/hash";
import { features } from "../model/kubernetes-version";
import { dnsPortNames, revisionLabel } from "../model/object-names";
import type { Resources } from "../model/props/placement";
import { formatQuantity, parseQuantity } from "../model/syntax/quantity";
import type { Plain } from "./plain";
import type { Remarks } from "./remarks";

// Parts of pod specs that several components share. Fields with API server defaults are set explicitly where Argo CD
// compares them.

type Quantities = { readonly [name: string]: string | number };

/** Resources with each quantity in the spelling that the API server stores. */
export function resources({ requests, limits }: Resources): { requests?: Quantities; limits?: Quantities } {
  return {
    ...(requests && !isEmpty(requests) ? { requests: canonical(requests) } : {}),
    ...(limits && !isEmpty(limits) ? { limits: canonical(limits) } : {}),
  };
}

// The API server drops an empty mapping, so comparing with one would always show a difference.
function isEmpty(mapping: object): boolean {
  return Object.keys(mapping).length === 0;
}

function canonical(quantities: Quantities): Quantities {
  return Object.fromEntries(
    Object.entries(quantities).map(([name, text]) => {
      const quantity = parseQuantity(text);
      return [name, quantity ? formatQuantity(quantity) : text];
    }),
  );
}

/** Tells Go its container's memory limit, if any. */
export function goEnvironment(container: Resources): { name: string; value: string }[] {
  const value = goMemoryLimit(container);
  return value === undefined ? [] : [{ name: "GOMEMLIMIT", value }];
}

export const goRemark = {
  "name: GOMEMLIMIT": "90% of the memory limit: Go collects garbage before the kernel kills it",
};

export function placement({
  nodeSelector,
  tolerations,
}: Placement): Plain<Pick<k8s.PodSpec, "nodeSelector" | "tolerations">> {
  return {
    // A copy: cdk8s rejects objects without a prototype.
    nodeSelector: { ...nodeSelector },
    // Even if empty: this removes the tolerations of an installation that we take over.
    tolerations,
  };
}

/**
 * The template, whose pods prefer nodes and zones without others of their revision. Pods of the revision before do not
 * count: they are about to go. If they did, two that a drain left on one node would both avoid that node in the next
 * rollout, and so meet on another.
 */
export function spread(template: PodTemplate, labels: Labels, minorVersion: number): PodTemplate {
  const { metadata, spec } = template;
  const byKey = { matchLabelKeys: ["pod-template-hash"] };
  const hasKeys = minorVersion >= features.matchLabelKeysInPodAffinity;
  // An older API server drops the keys of a term. A restart alone does not change this label.
  const revision: Labels = hasKeys ? {} : { [revisionLabel]: contentHash(template) };
  const term = {
    topologyKey: "kubernetes.io/hostname",
    labelSelector: { matchLabels: { ...labels, ...revision } },
    ...(hasKeys ? byKey : {}),
  };
  return {
    metadata: { ...metadata, labels: { ...metadata?.labels, ...revision } },
    spec: {
      ...spec,
      affinity: {
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] },
      },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "topology.kubernetes.io/zone",
          whenUnsatisfiable: "ScheduleAnyway",
          labelSelector: { matchLabels: labels },
          ...byKey,
        },
      ],
    },
  };
}

type Labels = { readonly [label: string]: string };
type PodTemplate = Plain<k8s.PodTemplateSpec> & { readonly spec: Plain<k8s.PodSpec> };

/** A container that cannot gain privileges and has only the given capabilities. */
export function confined(add: NonNullable<k8s.Capabilities["add"]>): Plain<k8s.SecurityContext> {
  return {
    allowPrivilegeEscalation: false,
    capabilities: { ...(add.length > 0 ? { add } : {}), drop: ["ALL"] },
    readOnlyRootFilesystem: true,
  };
}

/** For a pod that needs no rights on its node. @param user And group. */
export function unprivileged(user: number, more: Plain<k8s.PodSecurityContext> = {}): Plain<k8s.PodSecurityContext> {
  const seccompProfile = { type: "RuntimeDefault" };
  return { runAsNonRoot: true, runAsUser: user, runAsGroup: user, ...more, seccompProfile };
}

export function httpProbe(
  path: string,
  port: number,
  timing: Plain<Omit<k8s.Probe, "httpGet">>,
  host?: string,
): Plain<k8s.Probe> {
  return { httpGet: { ...(host ? { host } : {}), path, port, scheme: "HTTP" }, ...timing };
}

/**
 * For how long a container of a DaemonSet that surges must have run before its pod can be ready. `minReadySeconds` would
 * leave old pods beside new ones, and a threshold of several answers is reached by a container that ends again and again
 * (docs/scale.md).
 */
export const settled = { initialDelaySeconds: 3 } as const;
export const settledRemark: Remarks = {
  [`initialDelaySeconds: ${settled.initialDelaySeconds}`]: "a cache or CoreDNS that ends at once is never ready",
};

/** Liveness and readiness of our programs. @param host The address for the kubelet, if not the pod's. */
export function probes(port: number, host?: string): Plain<{ livenessProbe: k8s.Probe; readinessProbe: k8s.Probe }> {
  const timing = { timeoutSeconds: 5, failureThreshold: 3, successThreshold: 1 };
  return {
    livenessProbe: httpProbe("/healthz", port, { periodSeconds: 10, ...timing }, host),
    readinessProbe: httpProbe("/readyz", port, { periodSeconds: 5, ...timing }, host),
  };
}

export function configVolume(
  name: string,
  configMapName: string,
  key: string,
  path: string = key,
  beside: readonly string[] = [],
) {
  const items = [{ key, path }, ...beside.map((file) => ({ key: file, path: file }))];
  return { name, configMap: { name: configMapName, items, defaultMode: 0o644 } };
}

/** @param targetPort Of the pods. */
export function dnsServicePorts(targetPort: number): Plain<k8s.ServicePort>[] {
  return [
    { name: dnsPortNames.udp, port: 53, protocol: "UDP", targetPort },
    { name: dnsPortNames.tcp, port: 53, protocol: "TCP", targetPort },
  ];
}

export function dnsContainerPorts({ udp, tcp }: DnsService["portNames"]): Plain<k8s.ContainerPort>[] {
  return [
    { name: udp, containerPort: 53, protocol: "UDP" },
    { name: tcp, containerPort: 53, protocol: "TCP" },
  ];
}

export function fieldRef(fieldPath: string): { fieldRef: { apiVersion: string; fieldPath: string } } {
  return { fieldRef: { apiVersion: "v1", fieldPath } };
}
