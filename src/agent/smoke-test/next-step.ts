import { selectorText } from "../../model/kubernetes/selectors";
import { authoritativeLabels, namespace, names } from "../../model/object-names";
import type { DnsService } from "../../model/dns-service";
import type { Asked } from "./ask";

const cache = `kubectl get pods -n ${namespace} -l k8s-app=${names.nodeLocalDns} -o wide`;
const cacheLog = `kubectl logs -n ${namespace} -l k8s-app=${names.nodeLocalDns} -c node-cache --tail=20`;
const ours = { namespace, name: names.dnsService, selector: authoritativeLabels };

/** What else the report knows of the server that was asked. */
interface OfServer {
  readonly isLinkLocal: boolean;
  /** Whether it gave a right answer for a name of the cluster. */
  readonly isRightElsewhere: boolean;
  readonly dnsService?: Pick<DnsService, "namespace" | "name" | "selector"> | undefined;
}

/** Why an answer may be wrong, and what to do; the same text for the same cause. docs/smoke-test.md explains each. */
export function nextStep(asked: Asked, { isLinkLocal, isRightElsewhere, dnsService = ours }: OfServer): string {
  const {
    question: { about, name },
    way: { server },
    rcode,
  } = asked;
  const service = `Service ${dnsService.name}`;
  const endpoints = `kubectl get endpointslices -n ${dnsService.namespace} -l kubernetes.io/service-name=${dnsService.name}`;
  const ofPods = `-n ${dnsService.namespace} -l ${selectorText(dnsService.selector)}`;
  const pods = `kubectl get pods ${ofPods} -o wide`;
  const clusterDns = `kubectl logs ${ofPods} --tail=20`;
  if (rcode === undefined && about === "cluster")
    return isLinkLocal
      ? `${server}: no cache answers on this node: ${cache}; then the watchdog's log: kubectl logs -n ${namespace} -l k8s-app=${names.watchdog} --tail=20`
      : `${server}: nothing answers: has ${service} endpoints, and all of them pods of CoreDNS? ${endpoints}; then its pods: ${pods}; then ${cache}, kube-proxy on this node, and policies that block port 53`;
  if (isRightElsewhere && isWithoutAnswer(asked))
    return `no answer to some questions, right ones to others, which a cache may have known: some endpoints of ${service} do not answer. Compare them, ${endpoints}, with the pods of CoreDNS, ${pods}; then network policies, and routes between nodes`;
  switch (about) {
    case "cluster":
    case "service":
    case "reverse":
    case "absent":
      return rcode === "NOERROR" && about === "absent"
        ? `a name that does not exist has an answer: look for a wildcard or a rewrite in the Corefile, or at the upstream servers`
        : `CoreDNS does not answer for the cluster as it should: ${clusterDns}; then compare the Corefile of its pods with dist/ (npx cdk8s-cluster-dns diff --live)`;
    case "own-pod":
      return `CoreDNS does not learn of new pods: kubectl get endpointslices -n ${namespace} -l kubernetes.io/service-name=${names.smokeTest}; then ${clusterDns} (its watch on the API server)`;
    case "search-list":
      return `kubelets give pods another cluster domain than the cluster file, or none: set clusterDomain to theirs, or their clusterDomain to the file's (dist/<cluster>/kubelet)`;
    case "cache":
      return `${server}: another than this node's cache answers: ${cache}; then the watchdog's log: kubectl logs -n ${namespace} -l k8s-app=${names.watchdog} --tail=20`;
    case "stub-domain":
      return `stubDomains: do the servers of ${name.slice(name.indexOf(".") + 1)} answer the nodes and CoreDNS's pods? ${clusterDns}; ${cacheLog}`;
    case "zone":
      return `zones: has the Corefile of CoreDNS's pods ${name}, and does the node cache leave it to them? npx cdk8s-cluster-dns diff --live; then ${clusterDns}`;
    case "upstream":
      return `upstreamNameservers: none of them answers as it should: do they speak TLS if upstreamTLSServerName is set, and plain DNS if it is not, and does a firewall let the nodes and CoreDNS's pods reach them? ${clusterDns}; ${cacheLog}. If they answer only some names, set smokeTest.outsideName to one of these`;
    case "upstream-of-cluster-dns":
      return `upstreamNameservers: CoreDNS's pods get no answer from them, for a reverse name that node caches leave to CoreDNS: ${clusterDns}`;
    case "outside":
      return `names outside: do the upstream servers (upstreamNameservers, or the nodes' /etc/resolv.conf) answer CoreDNS's pods? ${clusterDns}`;
    case "tenant":
    case "federation":
      return `names of a ${about}: does the Corefile of CoreDNS's pods have them? npx cdk8s-cluster-dns diff --live; then ${clusterDns}`;
  }
}

/** Whether CoreDNS answers the question from what the API server tells it. */
export function isOfCluster({ question: { about } }: Asked): boolean {
  return ["cluster", "service", "reverse", "absent", "own-pod", "tenant"].includes(about);
}

/** Silence, a refused connection, or a cache's SERVFAIL. Of other names, their own servers may be the cause. */
function isWithoutAnswer(asked: Asked): boolean {
  return isOfCluster(asked) && (asked.rcode === undefined || asked.rcode === "SERVFAIL");
}
