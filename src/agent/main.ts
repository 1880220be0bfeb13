/**
 * The programs that run on nodes, one entry point: `agent node-setup | watchdog | cleanup`.
 *
 *     agent node-setup --config /etc/agent/config.json
 *         Init container of the cache's pod, before CoreDNS. Link, addresses and rules, then exits: 0, or 1 with the reason on the log and
 *         in /dev/termination-log, and nothing half-applied.
 *     agent watchdog --config /etc/agent/config.json
 *         DaemonSet of its own (states enabled and draining). Runs until SIGTERM, on which it leaves the rules in place.
 *     agent cleanup --config /etc/agent/config.json [--force] [--once]
 *         DaemonSet in state removed. Watches for a minute whether the link-local address is still asked; if so, it refuses and looks again
 *         every minute (--force: takes away at once). Then removes rules, chains and link, of both backends, logs what it removed and idles
 *         until SIGTERM, because a DaemonSet restarts what exits (--once: exits, 0 when all is gone, 1 when refused).
 *
 * What their containers need, all three alike:
 * - image's entry point; only `args`. No service-account token. `automountServiceAccountToken: false`.
 * - hostNetwork: true, dnsPolicy: Default.
 * - securityContext: runAsUser 0, allowPrivilegeEscalation false, readOnlyRootFilesystem true, seccompProfile RuntimeDefault, capabilities
 *   drop ALL, add NET_ADMIN; with packetFilter iptables also NET_RAW (iptables-legacy opens a raw socket).
 * - the ConfigMap's key `config.json` (`AgentConfig` of src/model/agent-config) mounted read-only at /etc/agent.
 * - with packetFilter iptables, and for cleanup always: hostPath /run/xtables.lock, type FileOrCreate, mounted at /run/xtables.lock.
 * - env: NODE_NAME (spec.nodeName), for the log only. The watchdog with interception service-ip also needs enableServiceLinks (the default)
 *   and the namespace of the upstream Service, whose address `clusterZone.servers: ["$KUBE_DNS_UPSTREAM_SERVICE_HOST"]` then names.
 * Of the watchdog alone:
 * - livenessProbe httpGet /healthz and readinessProbe httpGet /readyz on `metrics.port`; no declared ports, or the scheduler would count them.
 *   liveness: periodSeconds 10, timeoutSeconds 5, failureThreshold 3; readiness: periodSeconds 5.
 * - updateStrategy RollingUpdate with maxUnavailable and no surge: two copies could not share the metrics port.
 * - terminationGracePeriodSeconds 5, priorityClassName system-node-critical, tolerations of the cache; requests about cpu 10m, memory 64Mi.
 *   Memory limit: none, or 128Mi and above.
 */
export {};
