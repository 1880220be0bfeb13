/**
 * The programs that run in clusters, in one image. Each program's construct (src/constructs) sets what its pod needs.
 *
 *     agent node-setup [--config FILE]
 *         Sets up link, addresses and rules before the cache starts. Exits with 0, or with 1 and nothing half-applied.
 *         Then refuses a Corefile that was changed by hand, while its cache could not be probed: ./node-setup/refuse-unprobed.ts.
 *     agent watchdog [--config FILE]
 *         Watches the cache, link and rules until SIGTERM; leaves them in place.
 *     agent cleanup [--config FILE] [--force] [--once] [--watch-seconds 60]
 *         Removes link and rules once the link-local address has not been queried for --watch-seconds, or immediately
 *         with --force. Then it idles until SIGTERM.
 *         --once: exits instead, with 0 if nothing is left, 1 if it refused.
 *     agent cleanup --hosts-file PATH [--host-root /] [--keep-selinux-label] [--once]
 *         Removes the node-resolver's lines from the hosts file, and nothing else.
 *     agent node-resolver --service NAME.NAMESPACE.svc --server ADDRESS [...]
 *         Keeps addresses of Services in the hosts file until SIGTERM; leaves the lines in place.
 *         See ./node-resolver/options.ts.
 *     agent smoke-test [--config FILE] [--network pod|host]
 *         Asks every server that a pod may have for the cluster's names, once. Exits with 0 if all answers are right,
 *         or with 1 and what to do, in the log and in /dev/termination-log.
 *     agent webhook [--config FILE]
 *         Answers the API server's admission reviews until SIGTERM, then drains for a few seconds.
 *
 * FILE is /etc/agent/config.json by default. On any failure a program exits with 1, with the reason in the log and in
 * /dev/termination-log.
 */
import { parseArgs } from "node:util";
import type { WebhookConfig } from "../model/admission/webhook/webhook-config";
import type { AgentConfig } from "../model/agent-config/agent-config";
import validateAgentConfig = require("../model/agent-config/validate");
import type { SmokeTestConfig } from "../model/smoke-test/smoke-test-config";
import { readConfig } from "./config-file";
import { fail } from "./exit";
import { createLog, type Logger } from "./log";

type Program = (args: string[], log: Logger) => Promise<void>;

// Each imports only what it needs: an init container finishes before a metrics library would have loaded.
const programs: { readonly [name: string]: Program } = {
  "node-setup": async (args, log) => {
    const { nodeSetup } = await import("./node-setup/node-setup.js");
    await nodeSetup(agentConfig(configPath(args)), log);
  },

  watchdog: async (args, log) => {
    const { runWatchdog } = await import("./watchdog/run.js");
    await runWatchdog(agentConfig(configPath(args)), log);
  },

  "node-resolver": async (args, log) => {
    const { parseOptions } = await import("./node-resolver/options.js");
    const { runNodeResolver } = await import("./node-resolver/run.js");
    await runNodeResolver(parseOptions(args), log);
  },

  webhook: async (args, log) => {
    const { runWebhook } = await import("./webhook/run.js");
    const { default: validate } = await import("../model/admission/webhook/validate.js");
    await runWebhook(readConfig<WebhookConfig>(configPath(args), validate), log);
  },

  "smoke-test": async (args) => {
    const { values } = parseArgs({
      args,
      options: {
        config: configOption,
        network: { type: "string", default: "pod" },
        "resolv-conf": { type: "string", default: "/etc/resolv.conf" },
        "termination-log": { type: "string", default: "/dev/termination-log" },
      },
    });
    const { runSmokeTest } = await import("./smoke-test/run.js");
    const { default: validate } = await import("../model/smoke-test/validate.js");
    await runSmokeTest(readConfig<SmokeTestConfig>(values.config, validate), {
      network: values.network,
      resolvConf: values["resolv-conf"],
      terminationLog: values["termination-log"],
    });
  },

  // A thread of the webhook; see ./webhook/long-reviews.ts.
  "webhook-long-reviews": async () => {
    const { runLongReviews } = await import("./webhook/long-reviews-thread.js");
    runLongReviews();
  },

  cleanup: async (args, log) => {
    const { values } = parseArgs({
      args,
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
    const { once, force, "hosts-file": path, "host-root": root, "keep-selinux-label": keepLabel } = values;
    if (path !== undefined) {
      const { runHostsFileCleanup } = await import("./cleanup/hosts-file.js");
      return runHostsFileCleanup({ root, path, keepLabel, once }, log);
    }
    const { runCleanup } = await import("./cleanup/run.js");
    const watchSeconds = Number(values["watch-seconds"]);
    if (!(watchSeconds > 0))
      throw new Error(`--watch-seconds: got ${values["watch-seconds"]}, accepted: a number above 0`);
    await runCleanup(agentConfig(values.config), log, { force, once, watchSeconds });
  },
};

const configOption = { type: "string", default: "/etc/agent/config.json" } as const;

function agentConfig(path: string): AgentConfig {
  return readConfig(path, validateAgentConfig);
}

function configPath(args: string[]): string {
  return parseArgs({ args, options: { config: configOption } }).values.config;
}

async function main([name = "", ...args]: readonly string[]): Promise<void> {
  const log = createLog(name === "" ? "agent" : name);
  try {
    const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
    const got = name === "" ? "no program" : `program "${name}"`;
    if (!program) throw new Error(`agent: got ${got}, accepted: ${Object.keys(programs).join(", ")}`);
    await program(args, log);
  } catch (error) {
    fail(log, error);
    // What waits for a signal, or a server that listens, would keep the process alive.
    process.exit();
  }
}

void main(process.argv.slice(2));
