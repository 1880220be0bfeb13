import type { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { agentConfig, watchdogPort } from "../model/agent-config/from-props";
import { queryPath } from "../model/query-path/query-path";
import { nested, type NodeLocalDnsProps } from "../model/props/component-props";
import { agentConfigText, agentContainer, agentVolumes } from "./agent-container";
import { agentDaemonSet } from "./agent-daemon-set";
import { checkProps } from "./check-props";
import { hashedConfigMap } from "./hashed-config-map";
import { httpProbe } from "./pod-parts";

const name = "node-local-dns-watchdog";

/** Watches the cache of each node, keeps link, addresses and rules, and switches the node between cache and cluster DNS. */
export class Watchdog extends Construct {
  readonly configMap: ApiObject;
  readonly serviceAccount: ApiObject;
  readonly daemonSet: ApiObject;

  /**
   * @throws Error with everything that is wrong with the props; also where there is nothing to watch over.
   */
  constructor(scope: Construct, id: string, props: NodeLocalDnsProps) {
    super(scope, id);
    const cluster = nested("nodeLocalDNS", props);
    checkProps(this, cluster, "nodeLocalDNS");
    const path = queryPath(cluster);
    if (!path?.needsAgent || !props.agentImage) {
      throw new Error(
        `${this.node.path} has no link and no rules to watch over; accepted: interception service-ip or link-local`,
      );
    }
    const config = agentConfig(cluster, path);
    const usesXtables = config.packetFilter === "iptables";
    this.configMap = hashedConfigMap(this, props, {
      name,
      labels: { "k8s-app": name },
      key: "config.json",
      text: agentConfigText(config),
    });
    const { serviceAccount, daemonSet } = agentDaemonSet(this, props, {
      name,
      // Pods of a node without a cache ask the link-local address as well: its rules must be there to translate.
      nodePlacement: path.interception === "link-local" ? {} : props.nodePlacement,
      maxUnavailable: "10%",
      podAnnotations: { "prometheus.io/port": String(watchdogPort), "prometheus.io/scrape": "true" },
      container: {
        ...agentContainer("watchdog", "watchdog", props.agentImage, usesXtables),
        livenessProbe: httpProbe("/healthz", watchdogPort, {
          periodSeconds: 10,
          timeoutSeconds: 5,
          failureThreshold: 3,
          successThreshold: 1,
        }),
        readinessProbe: httpProbe("/readyz", watchdogPort, {
          periodSeconds: 5,
          timeoutSeconds: 5,
          failureThreshold: 3,
          successThreshold: 1,
        }),
      },
      volumes: agentVolumes(this.configMap.name, usesXtables),
    });
    this.serviceAccount = serviceAccount;
    this.daemonSet = daemonSet;
  }
}
