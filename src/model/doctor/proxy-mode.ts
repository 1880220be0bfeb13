import { clusterDns } from "../command";
import { findProxy, otherProxyMode } from "../running/find-proxy";
import { atNodes, type Finding, finding, type Findings } from "./finding";
import { grouped } from "../syntax/grouped";
import type { Patient } from "./patient";
import { onNode, raw, system } from "./suggestions";

/** kube-proxy's mode, which decides where the cache listens and which rules lead to it. */
export function proxyMode(patient: Patient): Findings {
  const { state, described } = patient;
  if (!state.proxyConfigurations || !described) return [];
  const said = described.cluster.said.kubeProxyMode;
  const proxy = findProxy(state);
  const answer = onNode("on a node: kube-proxy's own answer")`curl -s http://127.0.0.1:10249/proxyMode`;
  if (proxy.evidence.length === 0) {
    const evidence = `no ConfigMap of kube-system has its configuration, and it tells its mode only to its own node; the cluster file says ${said}`;
    return said !== "none" && finding("proxy-mode-unread", "kube-proxy", evidence, answer);
  }
  const { evidence = [], isCertain } = otherProxyMode(proxy, said) ?? {};
  return evidence.map(({ mode, source }) =>
    finding(
      isCertain === true ? "proxy-mode-differs" : "proxy-mode-unclear",
      "kube-proxy",
      `${source} says ${mode}, the cluster file says kubeProxyMode: ${said}: rules for another mode do not fit the node`,
      [system`get configmap kube-proxy -o yaml`, answer, clusterDns("explain", described.name)],
    ),
  );
}

/** Nodes whose kube-proxy has stopped. Where none answers it may be told not to: k3s listens on the node alone. */
export function kubeProxies({ state: { kubeProxies: all } }: Patient): Finding[] {
  const silent = [...all].flatMap(([node, why]) => (why === undefined ? [] : [{ node, why }]));
  if (silent.length === all.size) return [];
  return grouped(silent, ({ why }) => why.replace(/\d+(\.\d+){3}/, "")).map(([, same]) => {
    const [{ node, why }] = same;
    return finding(
      "kube-proxy-stopped",
      atNodes(same.map((each) => each.node)),
      [why, "rules for Services stay as they were, or are not there: pods do not reach the cluster DNS"],
      [
        raw(`/api/v1/nodes/http:${node}:10256/proxy/healthz`),
        system`get pods -l k8s-app=kube-proxy --field-selector spec.nodeName=${node}`,
        `restart kube-proxy on ${node}`,
      ],
    );
  });
}
