import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { names } from "../model/object-names";
import { NodeAgent } from "./node-agent";
import type { ComponentProps } from "./resolved-cluster";
import { configText } from "./program";
import { ruleWriter, ruleWriterVolumes } from "./rule-writer";

const name = names.cleanup;

/**
 * Removes link, addresses and rules on every node (`nodeLocalDNS.state: removed`); keep it until it has run everywhere.
 */
export class Cleanup extends NodeAgent {
  /** What nodes are to be rid of. */
  readonly configMap: ApiObject;
  /** An account without permissions. */
  readonly serviceAccount: ApiObject;
  /** `node-local-dns-cleanup`, a pod on each node. */
  readonly daemonSet: ApiObject;

  /** @throws Error listing everything wrong with the props, or if `nodeLocalDNS.state` is not `removed`. */
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id, props);
    const settings = this.needed(
      this.cluster.components.cleanup,
      "has nothing to clean up; accepted: agentImage, and nodeLocalDNS.state: removed",
    );
    this.configMap = this.addHashedConfigMap(name, { "k8s-app": name }, "config.json", configText(settings.config));
    [this.serviceAccount, this.daemonSet] = this.addNodeAgent(name, {
      unavailablePercent: 100,
      // Either backend may hold rules, ours or node-cache's, hence the iptables lock.
      container: ruleWriter("cleanup", settings, true, `--watch-seconds=${settings.watchSeconds}`),
      volumes: ruleWriterVolumes(this.configMap.name, true),
    });
  }
}
