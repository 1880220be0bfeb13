import type { ApiObject } from "cdk8s";
import type { Container } from "cdk8s-plus-27/lib/imports/k8s";
import { Construct } from "constructs";
import { nested, type NodeResolverProps } from "../model/props/component-props";
import { agentDaemonSet } from "./agent-daemon-set";
import type { Plain } from "./api-object";
import { checkProps } from "./check-props";
import { confined, fieldRef, httpProbe, resources } from "./pod-parts";

const name = "node-resolver";

/** On the node's network: outside of the range that exporters share (9100 to 9999, where 9256 is process-exporter's). */
const metricsPort = 19256;

/** Where the host's /etc is in the container. */
const hostRoot = "/host";

/**
 * Keeps addresses of Services in the hosts file of every Linux node, whatever its taints. It has no placement: a node without it
 * may not pull images, so no move of DNS pods moves it.
 */
export class NodeResolver extends Construct {
  readonly serviceAccount: ApiObject;
  readonly daemonSet: ApiObject;

  /**
   * @throws Error with everything that is wrong with the props.
   */
  constructor(scope: Construct, id: string, props: NodeResolverProps) {
    super(scope, id);
    checkProps(this, nested("nodeResolver", props), "nodeResolver");
    const { serviceAccount, daemonSet } = agentDaemonSet(this, props, {
      name,
      // OpenShift's.
      maxUnavailable: "33%",
      container: container(props),
      // The folder: a file that is mounted alone cannot be replaced, only written to in place.
      volumes: [{ name: "etc", hostPath: { path: "/etc", type: "Directory" } }],
      ...(props.state === "removed"
        ? {}
        : { podAnnotations: { "prometheus.io/port": String(metricsPort), "prometheus.io/scrape": "true" } }),
    });
    this.serviceAccount = serviceAccount;
    this.daemonSet = daemonSet;
  }
}

function container(props: NodeResolverProps): Plain<Container> {
  const probe = (path: string, periodSeconds: number) =>
    httpProbe(path, metricsPort, { periodSeconds, timeoutSeconds: 5, failureThreshold: 3, successThreshold: 1 });
  return {
    name,
    image: props.agentImage,
    imagePullPolicy: "IfNotPresent",
    args:
      props.state === "removed"
        ? ["cleanup", ...hostsFile(props)]
        : ["node-resolver", ...lookups(props), ...hostsFile(props)],
    env: [{ name: "NODE_NAME", valueFrom: fieldRef("spec.nodeName") }],
    resources: resources({ requests: { cpu: "5m", memory: "64Mi" } }),
    // Root owns /etc, and needs no capability to replace a file of its own there.
    securityContext: {
      ...confined([]),
      runAsUser: 0,
      ...(props.seLinuxOptions ? { seLinuxOptions: props.seLinuxOptions } : {}),
    },
    volumeMounts: [{ name: "etc", mountPath: `${hostRoot}/etc` }],
    ...(props.state === "removed" ? {} : { livenessProbe: probe("/healthz", 10), readinessProbe: probe("/readyz", 5) }),
  };
}

function lookups({
  services,
  clusterDNS,
  clusterDomain = "cluster.local",
  intervalSeconds = 60,
}: NodeResolverProps): string[] {
  return [
    ...services.map((service) => `--service=${service}`),
    `--cluster-domain=${clusterDomain}`,
    ...clusterDNS.map((address) => `--server=${address}`),
    `--interval=${intervalSeconds}`,
    `--metrics-port=${metricsPort}`,
  ];
}

function hostsFile({ seLinuxOptions }: NodeResolverProps): string[] {
  return ["--hosts-file=/etc/hosts", `--host-root=${hostRoot}`, ...(seLinuxOptions ? ["--keep-selinux-label"] : [])];
}
