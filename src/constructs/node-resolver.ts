import type { ApiObject } from "cdk8s";
import type { Container } from "cdk8s-plus-27/lib/imports/k8s";
import type { Construct } from "constructs";
import { healthPorts, nodeAddressVariable, nodeResolverMetricsPort as metricsPort } from "../model/node-programs";
import type { NodeResolverSettings } from "../model/cluster/node-resolver";
import { names } from "../model/object-names";
import { NodeAgent } from "./node-agent";
import type { ComponentProps } from "./resolved-cluster";
import type { Plain } from "./plain";
import { confined, fieldRef, probes, resources } from "./pod-parts";

const name = names.nodeResolver;

const hostRoot = "/host";

/**
 * Keeps the addresses of Services in the hosts file of every Linux node, whatever its taints. It ignores placement: a
 * node without it may be unable to pull images.
 */
export class NodeResolver extends NodeAgent {
  /** An account without permissions. */
  readonly serviceAccount: ApiObject;
  /** `node-resolver`, a pod on each node. */
  readonly daemonSet: ApiObject;

  /** @throws Error listing everything wrong with the props, or if there is no `nodeResolver`. */
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id, props);
    const settings = this.needed(
      this.cluster.components.nodeResolver,
      "has no Service to resolve; set nodeResolver.services",
    );
    [this.serviceAccount, this.daemonSet] = this.addNodeAgent(name, {
      // The same as OpenShift's.
      unavailablePercent: 33,
      container: container(settings),
      // The folder: a file mounted alone can be written in place but not replaced.
      volumes: [{ name: "etc", hostPath: { path: "/etc", type: "Directory" } }],
      ...(settings.state === "enabled" && { podAnnotations: this.scraped(metricsPort, settings.metricsAddress) }),
    });
  }
}

function container(settings: NodeResolverSettings): Plain<Container> {
  const { image, state, seLinuxOptions } = settings;
  return {
    name,
    image,
    imagePullPolicy: "IfNotPresent",
    args:
      state === "removed"
        ? ["cleanup", ...hostsFile(settings)]
        : ["node-resolver", ...lookups(settings), ...hostsFile(settings)],
    env: [
      { name: "NODE_NAME", valueFrom: fieldRef("spec.nodeName") },
      { name: nodeAddressVariable, valueFrom: fieldRef("status.hostIP") },
    ],
    resources: resources({ requests: { cpu: "5m", memory: "64Mi" } }),
    // Root owns /etc, and needs no capability to replace its own file there.
    securityContext: { ...confined([]), runAsUser: 0, ...(seLinuxOptions && { seLinuxOptions }) },
    volumeMounts: [{ name: "etc", mountPath: `${hostRoot}/etc` }],
    ...(state === "enabled" && probes(healthPorts.nodeResolver, "127.0.0.1")),
  };
}

function lookups(settings: NodeResolverSettings): string[] {
  const { services, clusterDNS, clusterDomain, intervalSeconds, metricsAddress } = settings;
  return [
    ...services.map((service) => `--service=${service}`),
    `--cluster-domain=${clusterDomain}`,
    ...clusterDNS.map((address) => `--server=${address}`),
    `--interval=${intervalSeconds}`,
    `--metrics-address=${metricsAddress === "loopback" ? "127.0.0.1" : `$(${nodeAddressVariable})`}`,
    `--metrics-port=${metricsPort}`,
    `--health-port=${healthPorts.nodeResolver}`,
  ];
}

function hostsFile({ seLinuxOptions }: NodeResolverSettings): string[] {
  return ["--hosts-file=/etc/hosts", `--host-root=${hostRoot}`, ...(seLinuxOptions ? ["--keep-selinux-label"] : [])];
}
