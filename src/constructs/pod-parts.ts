import type { Capabilities, ContainerPort, PodSpec, Probe, SecurityContext } from "cdk8s-plus-27/lib/imports/k8s";
import { formatQuantity, parseQuantity } from "../model/syntax/quantity";
import type { NodePlacement, Resources, Toleration } from "../model/props/placement";
import type { Plain } from "./api-object";

// Parts of pod specs that several components share. Fields that the API server would fill in are written out where
// Argo CD compares them.

type Quantities = { readonly [name: string]: string | number };

/** Resources with each quantity in the spelling that the API server keeps. */
export function resources({ requests, limits }: Resources): { requests?: Quantities; limits?: Quantities } {
  return {
    ...(requests && !isEmpty(requests) ? { requests: canonical(requests) } : {}),
    ...(limits && !isEmpty(limits) ? { limits: canonical(limits) } : {}),
  };
}

// The API server drops an empty mapping, and a comparison with it would show a difference for ever.
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

/** Where no other placement is said, what serves a node runs on every node, whatever its taints. */
export const everyTaint: readonly Toleration[] = [{ operator: "Exists" }];

export function placement(
  { nodeSelector = { "kubernetes.io/os": "linux" }, tolerations }: NodePlacement,
  defaultTolerations: readonly Toleration[],
): Plain<Pick<PodSpec, "nodeSelector" | "tolerations">> {
  const all = tolerations ?? defaultTolerations;
  return {
    // A copy: cdk8s takes no object without a prototype.
    ...(isEmpty(nodeSelector) ? {} : { nodeSelector: { ...nodeSelector } }),
    // An empty list, too: it takes away what an installation that we take over had.
    tolerations: all,
  };
}

/** A container that cannot gain rights and has only the capabilities that it is given. */
export function confined(add: NonNullable<Capabilities["add"]>): Plain<SecurityContext> {
  return {
    allowPrivilegeEscalation: false,
    capabilities: { ...(add.length > 0 ? { add } : {}), drop: ["ALL"] },
    readOnlyRootFilesystem: true,
  };
}

export function httpProbe(
  path: string,
  port: number,
  timing: Plain<Omit<Probe, "httpGet">>,
  host?: string,
): Plain<Probe> {
  return { httpGet: { ...(host ? { host } : {}), path, port, scheme: "HTTP" }, ...timing };
}

export const dnsContainerPorts: Plain<ContainerPort>[] = [
  { name: "dns", containerPort: 53, protocol: "UDP" },
  { name: "dns-tcp", containerPort: 53, protocol: "TCP" },
];

/** A value from the pod itself, for an environment variable. */
export function fieldRef(fieldPath: string): { fieldRef: { apiVersion: string; fieldPath: string } } {
  return { fieldRef: { apiVersion: "v1", fieldPath } };
}
