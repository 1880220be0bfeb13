import type { ChildProcess } from "node:child_process";
import { afterAll, beforeAll, test } from "vitest";
import { agentConfig, listenAddresses, runAgent, startWatchdog } from "../../rig/kernel/agent";
import { answeredBy, Network } from "../../rig/kernel/network";
import { startKubeProxy } from "../../rig/vm/kube-proxy";
import { expectAnswers, families } from "./answers";
import { patient } from "./patient";

const config = agentConfig(families, { interception: "link-local", kubeProxyMode: "ipvs", thresholds: patient });
let network: Network;
let cache: ChildProcess;
beforeAll(async () => {
  network = await Network.create("none", families);
  await network.startClusterDNS();
  await startKubeProxy(network);
  runAgent(network, "node-setup", config);
  startWatchdog(network, config);
  cache = await network.startCache(listenAddresses(config), { clusterDNS: config.clusterZone.servers });
  await expectAnswers(network, answeredBy.cache.A);
});
afterAll(() => network.remove());

test("kube-proxy in ipvs mode: while the cache hangs, the cluster DNS answers", async () => {
  cache.kill("SIGSTOP");
  await expectAnswers(network, answeredBy.cluster.A);
  cache.kill("SIGCONT");
  await expectAnswers(network, answeredBy.cache.A);
});
