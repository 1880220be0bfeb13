/**
 * The programs that run on nodes, one entry point: `agent node-setup | watchdog | node-resolver | webhook | cleanup`.
 *
 *     agent node-setup --config /etc/agent/config.json
 *         Init container of the cache's pod, before CoreDNS. Link, addresses and rules, then exits: 0, or 1 with the reason on the log and
 *         in /dev/termination-log, and nothing half-applied.
 *     agent watchdog --config /etc/agent/config.json
 *         DaemonSet of its own (states enabled and draining). Runs until SIGTERM, on which it leaves the rules in place.
 *     agent cleanup --config /etc/agent/config.json [--force] [--once] [--watch-seconds 60]
 *         DaemonSet in state removed. Watches for a minute whether the link-local address is still asked; if so, it refuses and looks again
 *         every minute (--force: takes away at once). Then removes rules, chains and link, of both backends, logs what it removed and idles
 *         until SIGTERM, because a DaemonSet restarts what exits (--once: exits, 0 when all is gone, 1 when refused).
 *     agent cleanup --hosts-file /etc/hosts [--host-root /host] [--keep-selinux-label] [--once]
 *         Takes the node-resolver's lines out of the hosts file, and nothing else. Needs what the node-resolver needs.
 *     agent node-resolver --service NAME.NAMESPACE.svc --server CLUSTER-DNS [...]
 *         DaemonSet of its own, see src/constructs/node-resolver.ts. Runs until SIGTERM, on which the lines stay.
 *
 *     agent webhook --config /etc/agent/config.json
 *         Deployment of its own, see src/constructs/webhook.ts. Runs until SIGTERM, then a few seconds more for requests under way.
 *
 * What their containers need, node-resolver and webhook apart:
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
import { parseArgs } from "node:util";
import { readAgentConfig } from "./config-file";
import { fail } from "./exit";
import { createLog, type Logger } from "./log";

type Program = (args: readonly string[], log: Logger) => Promise<void>;

// Each loads only what it needs: an init container is done before a metrics library would have been read.
const programs: { readonly [name: string]: Program } = {
  "node-setup": async (args, log) => {
    const { values } = parseArgs({ args: [...args], options: { config: configOption } });
    const { nodeSetup } = await import("./node-setup/node-setup.js");
    await nodeSetup(readAgentConfig(values.config), log);
  },

  watchdog: async (args, log) => {
    const { values } = parseArgs({ args: [...args], options: { config: configOption } });
    const { runWatchdog } = await import("./watchdog/run.js");
    await runWatchdog(readAgentConfig(values.config), log);
  },

  "node-resolver": async (args, log) => {
    const { parseOptions } = await import("./node-resolver/options.js");
    const { runNodeResolver } = await import("./node-resolver/run.js");
    await runNodeResolver(parseOptions(args), log);
  },

  webhook: async (args, log) => {
    const { values } = parseArgs({ args: [...args], options: { config: configOption } });
    const { readWebhookConfig } = await import("./webhook/config-file.js");
    const { runWebhook } = await import("./webhook/run.js");
    await runWebhook(readWebhookConfig(values.config), log);
  },

  cleanup: async (args, log) => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        config: configOption,
        force: { type: "boolean", default: false },
        once: { type: "boolean", default: false },
        "watch-seconds": { type: "string", default: "60" },
        "hosts-file": { type: "string" },
        "host-root": { type: "string", default: "/" },
        "keep-selinux-label": { type: "boolean", default: false },
      },
    });
    const { once, "hosts-file": path, "host-root": root, "keep-selinux-label": keepLabel } = values;
    if (path !== undefined) {
      const { runHostsFileCleanup } = await import("./cleanup/hosts-file.js");
      return runHostsFileCleanup({ root, path, keepLabel, once }, log);
    }
    const { runCleanup } = await import("./cleanup/run.js");
    const watchSeconds = Number(values["watch-seconds"]);
    if (!(watchSeconds > 0))
      throw new Error(`--watch-seconds: got ${values["watch-seconds"]}, accepted is a number above 0`);
    await runCleanup(readAgentConfig(values.config), log, { force: values.force, once, watchSeconds });
  },
};

const configOption = { type: "string", default: "/etc/agent/config.json" } as const;

async function main([name = "", ...args]: readonly string[]): Promise<void> {
  const log = createLog(name === "" ? "agent" : name);
  try {
    const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
    if (!program)
      throw new Error(
        `agent: got ${name === "" ? "no program" : `program "${name}"`}, accepted: ${Object.keys(programs).join(", ")}`,
      );
    await program(args, log);
  } catch (error) {
    fail(log, error);
  }
}

void main(process.argv.slice(2));
