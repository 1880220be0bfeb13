import type { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { agentConfig } from "../model/agent-config/from-props";
import { queryPath } from "../model/query-path/query-path";
import { nested, type NodeLocalDnsProps } from "../model/props/component-props";
import { agentConfigText, agentContainer, agentVolumes } from "./agent-container";
import { agentDaemonSet } from "./agent-daemon-set";
import { checkProps } from "./check-props";
import { hashedConfigMap } from "./hashed-config-map";

const name = "node-local-dns-cleanup";

/** Takes link, addresses and rules away on every node (`nodeLocalDNS.state: removed`); leave it until it ran everywhere. */
export class Cleanup extends Construct {
  readonly configMap: ApiObject;
  readonly serviceAccount: ApiObject;
  readonly daemonSet: ApiObject;

  /**
   * @throws Error with everything that is wrong with the props; also unless `state` is `removed`.
   */
  constructor(scope: Construct, id: string, props: NodeLocalDnsProps) {
    super(scope, id);
    const cluster = nested("nodeLocalDNS", props);
    checkProps(this, cluster, "nodeLocalDNS");
    const path = queryPath(cluster);
    if (path?.state !== "removed" || !props.agentImage) {
      throw new Error(`${this.node.path} cleans up only with state: removed; got ${path?.state ?? "no node cache"}`);
    }
    this.configMap = hashedConfigMap(this, props, {
      name,
      labels: { "k8s-app": name },
      key: "config.json",
      text: agentConfigText(agentConfig(cluster, path)),
    });
    const { serviceAccount, daemonSet } = agentDaemonSet(this, props, {
      name,
      maxUnavailable: "100%",
      // Both backends may hold rules, of ours or of node-cache, hence the lock of iptables.
      container: agentContainer("cleanup", "cleanup", props.agentImage, true),
      volumes: agentVolumes(this.configMap.name, true),
    });
    this.serviceAccount = serviceAccount;
    this.daemonSet = daemonSet;
  }
}
