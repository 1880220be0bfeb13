import { parseCorefile } from "../corefile/parse";
import { answersOf, chained, type Asked } from "./answers";

/**
 * What Kubernetes has given clusters, so that nobody chose it: kubeadm's Corefile now
 * (cmd/kubeadm/app/phases/addons/dns/manifests.go) and that of 1.13, also behind the node cache of
 * cluster/addons/dns/nodelocaldns.
 */
export function usualAnswers(domain: string): Asked[] {
  const ofCluster = `kubernetes ${domain} in-addr.arpa ip6.arpa`;
  const common = "errors\nready\nprometheus :9153\nloop\nreload\nloadbalance";
  const now = `.:53 {
    health {
      lameduck 5s
    }
    ${ofCluster} {
      pods insecure
      fallthrough in-addr.arpa ip6.arpa
      ttl 30
    }
    forward . /etc/resolv.conf {
      max_concurrent 1000
    }
    cache 30 {
      disable success ${domain}
      disable denial ${domain}
    }
    ${common}
  }`;
  const before = `.:53 {
    health
    ${ofCluster} {
      pods insecure
      fallthrough in-addr.arpa ip6.arpa
    }
    forward . /etc/resolv.conf
    cache 30
    ${common}
  }`;
  const cache = `${domain}:53 in-addr.arpa:53 ip6.arpa:53 {
    forward . ${clusterServer} {
      force_tcp
    }
  }
  .:53 {
    cache 30
    forward . /etc/resolv.conf {
      force_tcp
    }
  }`;
  const read = (text: string) => answersOf("", parseCorefile(text));
  return [read(now), read(before), chained(read(cache), read(now), (server) => server === clusterServer)];
}

const clusterServer = "10.96.0.10";
