/** The examples of the documents behind docs/seeds.md, word for word. */

const dns = (nodePlacement: string) => `apiVersion: operator.openshift.io/v1
kind: DNS
metadata:
  name: default
spec:
  nodePlacement:
${nodePlacement}`;

/** "Configurable DNS Pod Placement". */
export const placements = {
  infra: dns(`    nodeSelector:
      kubernetes.io/os: linux
      node-role.kubernetes.io/infra: ""
    tolerations:
    - effect: NoSchedule
      key: "node-role.kubernetes.io/infra"
      operator: Exists
`),
  master: dns(`    nodeSelector:
      kubernetes.io/os: linux
      node-role.kubernetes.io/master: ""
`),
  "dns-only": dns(`    tolerations:
    - effect: NoSchedule
      key: "dns-only"
      operator: Exists
`),
} as const;

/** The module node-local-dns: its rules by kube-proxy's mode, for the cluster DNS at 192.168.0.10. */
export const packetRules = {
  ipvs: `-A PREROUTING -d 169.254.20.10/32 -p tcp -m tcp --dport 53 -j NODE-LOCAL-DNS
-A PREROUTING -d 169.254.20.10/32 -p udp -m udp --dport 53 -j NODE-LOCAL-DNS
-A NODE-LOCAL-DNS -m socket -j RETURN
-A NODE-LOCAL-DNS -d 169.254.20.10/32 -p tcp -m tcp --dport 53 -j DNAT --to-destination 192.168.0.10:53
-A NODE-LOCAL-DNS -d 169.254.20.10/32 -p udp -m udp --dport 53 -j DNAT --to-destination 192.168.0.10:53`,
  iptables: `-A PREROUTING -d 169.254.20.10/32 -p tcp -m tcp --dport 53 -j NODE-LOCAL-DNS
-A PREROUTING -d 169.254.20.10/32 -p udp -m udp --dport 53 -j NODE-LOCAL-DNS
-A NODE-LOCAL-DNS -m socket -j RETURN
-A NODE-LOCAL-DNS -d 169.254.20.10/32 -j KUBE-MARK-MASQ
-A NODE-LOCAL-DNS -d 169.254.20.10/32 -p tcp -j KUBE-SVC-ERIFXISQEP7F7OF4
-A NODE-LOCAL-DNS -d 169.254.20.10/32 -p udp -j KUBE-SVC-TCOU7JCQXEZGVUNU`,
} as const;

/** "DNS Service in Multi-Tenancy Cluster": a pod in namespace bar of tenant baz, and one that asks its tenant alone. */
export const resolvConfs = {
  open: `search bar.baz.svc.cluster.local baz.svc.cluster.local svc.cluster.local cluster.local
options ndots:6`,
  soft: `search bar.baz.svc.cluster.local baz.svc.cluster.local
options ndots:6`,
} as const;

/** KEP-1024. */
export const upstreamService = `apiVersion: v1
kind: Service
metadata:
  name: node-local-upstream
  namespace: kube-system
  labels:
    k8s-app: kube-dns
    kubernetes.io/cluster-service: "true"
    addonmanager.kubernetes.io/mode: Reconcile
    kubernetes.io/name: "NodeLocalUpstream"
spec:
  selector:
    k8s-app: kube-dns
  ports:
  - name: dns
    port: 53
    protocol: UDP
  - name: dns-tcp
    port: 53
`;

/** "DNS Pods and Services": the pod to ask from. */
export const busybox = `apiVersion: v1
kind: Pod
metadata:
  name: busybox
  namespace: default
spec:
  containers:
  - image: busybox
    command:
      - sleep
      - "3600"
    imagePullPolicy: IfNotPresent
    name: busybox
  restartPolicy: Always
`;

/** The same, on the host's network. */
export const busyboxOnHost = `${busybox}  hostNetwork: true
  dnsPolicy: ClusterFirstWithHostNet
`;

const withHostName = (i: number) => `---
apiVersion: v1
kind: Pod
metadata:
  name: busybox${i}
  labels:
    name: busybox
spec:
  hostname: busybox-${i}
  subdomain: default-subdomain
  containers:
  - image: busybox
    command:
      - sleep
      - "3600"
    name: busybox
`;

/** The same: two pods with host names, and the headless Service that is named like their subdomain. */
export const defaultSubdomain = `apiVersion: v1
kind: Service
metadata:
  name: default-subdomain
spec:
  selector:
    name: busybox
  clusterIP: None
  ports:
    - name: foo # Actually, no port is needed.
      port: 1234
      targetPort: 1234
${[1, 2].map(withHostName).join("")}`;
