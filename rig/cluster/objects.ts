import type { KubernetesObject } from "./kubectl";
import { pauseImage } from "./node-files";

/** Objects that tests put into a cluster, to query or to query from. */

export interface PodProps {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly node?: string;
  /** Never becomes ready. */
  readonly unready?: boolean;
  /** More fields of its spec. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A pod that does nothing; the machine's commands run in its network namespace. */
export function pod({ name, namespace = "default", labels, node, unready = false, spec }: PodProps): KubernetesObject {
  // nothing listens in a pod that does nothing
  const readinessProbe = unready ? { tcpSocket: { port: 9 } } : undefined;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels },
    spec: {
      containers: [{ name: "pause", image: pauseImage, readinessProbe }],
      terminationGracePeriodSeconds: 0,
      ...(node === undefined ? {} : { nodeName: node }),
      ...spec,
    },
  };
}

export interface ServiceProps {
  readonly name: string;
  readonly namespace?: string;
  readonly selector?: Readonly<Record<string, string>>;
  /** More fields of its spec. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A Service with the port `http`, 80/TCP. */
export function service({ name, namespace = "default", selector, spec }: ServiceProps): KubernetesObject {
  const ports = [{ name: "http", port: 80, protocol: "TCP" }];
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace }, spec: { selector, ports, ...spec } };
}

export function externalName(name: string, to: string, namespace = "default"): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace },
    spec: { type: "ExternalName", externalName: to },
  };
}

export function namespaceObject(name: string): KubernetesObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}
