import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { names } from "../model/object-names";
import { NodeAgent } from "./node-agent";
import type { ComponentProps } from "./resolved-cluster";
import { probes } from "./pod-parts";
import { configText } from "./program";
import { ruleWriter, ruleWriterVolumes } from "./rule-writer";

const name = names.watchdog;

/**
 * Probes each node's cache, maintains link, addresses and rules, and switches the node between cache and cluster DNS.
 */
export class Watchdog extends NodeAgent {
  /** What it watches, and how; its name ends with a hash of it. */
  readonly configMap: ApiObject;
  /** An account without permissions. */
  readonly serviceAccount: ApiObject;
  /** `node-local-dns-watchdog`, a pod on each of its nodes. */
  readonly daemonSet: ApiObject;

  /** @throws Error listing everything wrong with the props, or if there is nothing to watch. */
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id, props);
    const settings = this.needed(
      this.cluster.components.watchdog,
      "has nothing to watch; accepted: agentImage, and nodeLocalDNS with interception service-ip or link-local, state enabled or draining, and watchdog not false",
    );
    const { metrics, healthPort } = settings.config;
    const usesXtables = settings.config.packetFilter === "iptables";
    this.configMap = this.addHashedConfigMap(name, { "k8s-app": name }, "config.json", configText(settings.config));
    [this.serviceAccount, this.daemonSet] = this.addNodeAgent(name, {
      placement: settings.placement,
      unavailablePercent: 10,
      podAnnotations: this.scraped(metrics.port, metrics.address === "127.0.0.1" ? "loopback" : "node"),
      container: { ...ruleWriter("watchdog", settings, usesXtables), ...probes(healthPort, "127.0.0.1") },
      volumes: ruleWriterVolumes(this.configMap.name, usesXtables),
    });
  }
}
