import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Who asks an API server for what, by its audit log. */
export class Audit {
  private readonly policy: string;
  private readonly log: string;

  constructor(folder: string) {
    this.policy = join(folder, "audit.json");
    this.log = join(folder, "audit.log");
    writeFileSync(this.policy, JSON.stringify(everyRequest));
  }

  get flags(): string[] {
    return [`--audit-policy-file=${this.policy}`, `--audit-log-path=${this.log}`];
  }

  /** The end of what there is, for `since`. */
  now(): number {
    return this.lines().length;
  }

  /** How many requests with this user agent, by verb and resource. */
  since(from: number, userAgent: RegExp): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const line of this.lines().slice(from)) {
      const request = JSON.parse(line) as AuditEvent;
      if (!userAgent.test(request.userAgent ?? "")) continue;
      const { resource = "", subresource = "" } = request.objectRef ?? {};
      const what = [request.verb, [resource, subresource].filter(Boolean).join("/")].join(" ");
      counts[what] = (counts[what] ?? 0) + 1;
    }
    return counts;
  }

  private lines(): string[] {
    return existsSync(this.log) ? readFileSync(this.log, "utf8").split("\n").slice(0, -1) : [];
  }
}

interface AuditEvent {
  readonly verb: string;
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
}

const everyRequest = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["ResponseStarted", "ResponseComplete"],
  // Leaves out what tests themselves ask.
  rules: [{ level: "None", nonResourceURLs: ["*"] }, { level: "None", verbs: ["get"] }, { level: "Metadata" }],
};
