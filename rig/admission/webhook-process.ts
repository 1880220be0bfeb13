import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WebhookConfig } from "../../src/model/admission/webhook/webhook-config";
import type { KubeConnection } from "../../src/agent/kube/client";
import { issue, type Issued } from "../../src/agent/webhook/certificates/issue";
import { freePort } from "../free-port";
import { agentProgram, node } from "../kernel/agent";
import { until } from "../until";

const [runtime = process.execPath, ...flags] = node;

/** What Node allows itself in a container of 512 MiB. */
const heap = ["--max-old-space-size=256"];

export const serverName = "cluster-dns-webhook.kube-system.svc";

export interface Answered {
  readonly status: number;
  readonly text: string;
}

/**
 * `agent webhook` as it runs in its pod: the bundled program with a configuration file and the environment that the
 * kubelet provides.
 */
export class WebhookProcess {
  private output = "";
  private readonly agent: Agent;

  private constructor(
    readonly child: ChildProcess,
    readonly port: number,
    readonly probePort: number,
    readonly folder: string,
    /** Who signed its certificate, if that is from files. */
    readonly authority: string | undefined,
  ) {
    this.agent = new Agent({ keepAlive: true, ca: authority, servername: serverName });
    child.stdout?.on("data", (data: Buffer) => (this.output += data.toString()));
    child.stderr?.on("data", (data: Buffer) => (this.output += data.toString()));
  }

  /** With a certificate from files, unless the configuration says otherwise. */
  static async start(config: Partial<WebhookConfig>, api?: KubeConnection): Promise<WebhookProcess> {
    const folder = mkdtempSync(join(tmpdir(), "cluster-dns-webhook-"));
    const [port, probePort] = (await Promise.all([freePort(), freePort()])) as [number, number];
    const issued = await issue([serverName, "localhost"], new Date());
    writeCertificate(folder, issued);
    const whole: WebhookConfig = { version: 1, port, probePort, certificates: { kind: "files", folder }, ...config };
    writeFileSync(join(folder, "config.json"), JSON.stringify(whole));
    if (api) {
      writeFileSync(join(folder, "ca.crt"), api.ca);
      writeFileSync(join(folder, "token"), `${api.token()}\n`);
    }
    const child = spawn(
      runtime,
      [...flags, ...heap, agentProgram(), "webhook", "--config", join(folder, "config.json")],
      {
        env: {
          ...process.env,
          ...(api
            ? {
                KUBERNETES_SERVICE_HOST: api.host,
                KUBERNETES_SERVICE_PORT: String(api.port),
                SERVICE_ACCOUNT_FOLDER: folder,
              }
            : {}),
        },
      },
    );
    const started = new WebhookProcess(
      child,
      port,
      probePort,
      folder,
      whole.certificates.kind === "files" ? issued.authority : undefined,
    );
    try {
      await started.until("it is ready", async () => (await started.probe("/readyz")) === "ok\n");
    } catch (error) {
      await started.stop();
      throw error;
    }
    return started;
  }

  /** The next request opens a connection of its own. */
  forgetConnections(): void {
    this.agent.destroy();
  }

  log(): string {
    return this.output;
  }

  async probe(path: string): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.probePort}${path}`)).text();
  }

  /** Sends a review, or any text, as the API server does. */
  post(
    path: string,
    body: object | string,
    headers: { readonly [name: string]: string } = { "content-type": "application/json" },
    method = "POST",
  ): Promise<Answered> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port: this.port,
          path,
          method,
          agent: this.agent,
          headers: { ...headers, "content-length": Buffer.byteLength(text) },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(text);
    });
  }

  memoryBytes(): number {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.child.pid}/status`, "utf8"))?.[1];
    return Number(kilobytes) * 1024;
  }

  async until(what: string, probe: () => Promise<boolean>, seconds = 20): Promise<void> {
    const isSo = async () => this.child.exitCode !== null || (await probe());
    await until(`the webhook: ${what}`, seconds, isSo, 50, () => this.output);
    if (this.child.exitCode !== null) throw new Error(`the webhook ended before ${what}: ${this.output}`);
  }

  async stop(): Promise<void> {
    this.agent.destroy();
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, "exit");
      this.child.kill("SIGKILL");
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function writeCertificate(folder: string, { certificate, key }: Issued): void {
  writeFileSync(join(folder, "tls.crt"), certificate);
  writeFileSync(join(folder, "tls.key"), key);
}
