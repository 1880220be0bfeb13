import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pki } from "../cluster/pki";
import { argv } from "../argv";
import { freePort } from "../free-port";
import { consoleProgress } from "../progress";
import { buildTools, tool, type GoToolsName } from "../tools";
import { until } from "../until";

export interface User {
  readonly username: string;
  readonly groups?: readonly string[];
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: { readonly message?: string; readonly [key: string]: unknown };
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
}

/** A kube-apiserver with its etcd on loopback, without nodes or controllers: enough for admission. */
export class LocalApiServer {
  private server: ChildProcess;

  private constructor(
    private readonly folder: string,
    private readonly etcd: ChildProcess,
    private readonly startServer: () => ChildProcess,
    readonly port: number,
    private readonly agent: Agent,
    /** Files of an administrator: a certificate, its key, the authority of the server, and a kubeconfig with all three. */
    readonly files: {
      readonly cert: string;
      readonly key: string;
      readonly authority: string;
      readonly kubeconfig: string;
    },
    readonly authority: string,
  ) {
    this.server = startServer();
  }

  /** etcd and the API server. */
  get processes(): readonly ChildProcess[] {
    return [this.etcd, this.server];
  }

  static async start(flags: readonly string[] = [], kubernetes: GoToolsName = "kubernetes"): Promise<LocalApiServer> {
    await buildTools(consoleProgress(), ["etcd", kubernetes]);
    const folder = mkdtempSync(join(tmpdir(), "cluster-dns-api-"));
    const pki = new Pki(folder);
    await pki.createAuthority();
    await pki.certificate("apiserver", "/CN=kube-apiserver", ["IP:127.0.0.1", "DNS:localhost"]);
    await pki.certificate("admin", "/O=system:masters/CN=admin");
    const [port, etcd, peer] = (await Promise.all([freePort(), freePort(), freePort()])) as [number, number, number];
    const start = (program: string, args: readonly string[]) => {
      const log = openSync(join(folder, `${program.split("/").pop()}.log`), "a");
      return spawn(program, args, { stdio: ["ignore", log, log] });
    };
    const [clients, peers] = [`http://127.0.0.1:${etcd}`, `http://127.0.0.1:${peer}`];
    const store = start(
      tool("etcd", "server"),
      argv`--data-dir=${join(folder, "etcd")} --listen-client-urls=${clients} --advertise-client-urls=${clients}
        --listen-peer-urls=${peers} --initial-advertise-peer-urls=${peers} --initial-cluster=default=${peers}
        --unsafe-no-fsync`,
    );
    const [own, account] = [pki.file("apiserver"), pki.file("service-account")];
    // No controller creates service accounts here.
    const ofServer = argv`--etcd-servers=${clients} --bind-address=127.0.0.1 --advertise-address=127.0.0.1
      --secure-port=${port} --service-cluster-ip-range=10.96.0.0/16
      --client-ca-file=${pki.file("ca.crt")} --tls-cert-file=${own}.crt --tls-private-key-file=${own}.key
      --service-account-issuer=https://kubernetes.default.svc.cluster.local
      --service-account-key-file=${account}.pub --service-account-signing-key-file=${account}.key
      --authorization-mode=Node,RBAC --disable-admission-plugins=ServiceAccount --endpoint-reconciler-type=none`;
    const startServer = () => start(tool(kubernetes, "kube-apiserver"), [...ofServer, ...flags]);
    const ca = readFileSync(pki.file("ca.crt"), "utf8");
    const agent = new Agent({
      keepAlive: true,
      ca,
      cert: readFileSync(pki.file("admin.crt")),
      key: readFileSync(pki.file("admin.key")),
    });
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, pki.kubeconfigText("admin", `https://127.0.0.1:${port}`), { mode: 0o600 });
    const files = {
      cert: pki.file("admin.crt"),
      key: pki.file("admin.key"),
      authority: pki.file("ca.crt"),
      kubeconfig,
    };
    const server = new LocalApiServer(folder, store, startServer, port, agent, files, ca);
    try {
      await server.isUp();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  private async isUp(): Promise<void> {
    for (const path of ["/readyz", "/api/v1/namespaces/kube-system"]) {
      const isThere = async () => (await this.call("GET", path)).status === 200;
      await until(`${path} of the API server`, 120, isThere, 250, () => this.log());
    }
  }

  /** Kills the API server and starts another one at the same address, with all that there was. */
  async restart(): Promise<void> {
    await ended(this.server);
    this.server = this.startServer();
    await this.isUp();
  }

  /** As the administrator, or as someone whom the administrator impersonates. */
  call(method: string, path: string, object?: object, as?: User, contentType = "application/json"): Promise<ApiAnswer> {
    const text = object === undefined ? undefined : JSON.stringify(object);
    const impersonation = as
      ? { "impersonate-user": as.username, "impersonate-group": ["people", ...(as.groups ?? [])] }
      : {};
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port: this.port,
          method,
          path,
          agent: this.agent,
          headers: {
            accept: "application/json",
            ...(text ? { "content-type": contentType, "content-length": Buffer.byteLength(text) } : {}),
            ...impersonation,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const got = Buffer.concat(chunks).toString("utf8");
            const warnings = [...(response.headers["warning"] ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(
              ([, one = ""]) => one.replaceAll(/\\(.)/g, "$1"),
            );
            resolve({
              status: response.statusCode ?? 0,
              body: got.startsWith("{") ? (JSON.parse(got) as ApiAnswer["body"]) : { message: got },
              warnings,
            });
          });
        },
      );
      // The server may close a connection that was idle while we are about to use it: it has not seen the request.
      const again = () => this.call(method, path, object, as, contentType).then(resolve, reject);
      sent.on("error", (error: NodeJS.ErrnoException) =>
        sent.reusedSocket && error.code === "ECONNRESET" ? again() : reject(error),
      );
      sent.end(text);
    });
  }

  /** The call must succeed. */
  async must(method: string, path: string, object?: object, contentType?: string): Promise<ApiAnswer["body"]> {
    const { status, body } = await this.call(method, path, object, undefined, contentType);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${body.message}`);
    return body;
  }

  /** Server-side apply, as Argo CD and Flux do. */
  apply(path: string, object: object, manager = "gitops"): Promise<ApiAnswer["body"]> {
    return this.must(
      "PATCH",
      `${path}?fieldManager=${manager}&force=true&fieldValidation=Strict`,
      object,
      "application/apply-patch+yaml",
    );
  }

  log(): string {
    return readFileSync(join(this.folder, "kube-apiserver.log"), "utf8");
  }

  async stop(): Promise<void> {
    this.agent.destroy();
    await ended(this.server);
    await ended(this.etcd);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Kills a program. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
