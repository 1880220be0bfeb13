import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { argv } from "../argv";
import { bundle } from "../bundle";
import { tool, type GoToolsName } from "../tools";
import { ApiClient } from "./api-client";
import { apiPort, controlPlane, ofFamilies, podRanges, serviceRanges } from "./addresses";
import type { ClusterOptions } from "./options";
import { Kubectl } from "./kubectl";
import type { Names } from "./names";
import { createControlPlaneNetwork } from "./network";
import { kubeProxyConfig } from "./node-files";
import type { Pki } from "./pki";
import { Place } from "./place";

/** The namespace of etcd, the API server and its controllers, and of the outside world's DNS server. */
export class ControlPlane extends Place {
  readonly kubectl: Kubectl;

  constructor(
    private readonly names: Names,
    private readonly options: ClusterOptions,
    private readonly pki: Pki,
  ) {
    const inside = argv`ip netns exec ${names.namespace("control-plane")}`;
    super(`${names.cgroup}/control-plane`, names.file("control-plane"), () => inside);
    this.kubectl = new Kubectl(
      (args, how) => this.attempt([...this.asAdministrator, ...args], how),
      new ApiClient(this.apiSocket),
    );
  }

  private get asAdministrator(): string[] {
    return [tool("kubernetes", "kubectl"), "--kubeconfig", this.pki.file("admin.conf")];
  }

  private get apiSocket(): string {
    return join(this.folder, "api.sock");
  }

  async createConfiguration(): Promise<void> {
    const { pki } = this;
    await pki.createAuthority();
    await pki.apiServerCertificate();
    await pki.certificate("kubelet-client", "/O=system:masters/CN=kube-apiserver-kubelet-client");
    await pki.kubeconfig("admin", "/O=system:masters/CN=admin");
    for (const name of ["kube-controller-manager", "kube-scheduler", "kube-proxy"])
      await pki.kubeconfig(name, `/CN=system:${name}`);
  }

  async startApi(): Promise<void> {
    this.prepare();
    await createControlPlaneNetwork(this.names, this.options.ipFamilies);
    mkdirSync(join(this.folder, "etcd"), { recursive: true, mode: 0o700 });
    const client = "http://127.0.0.1:2379";
    this.start(
      "etcd",
      argv`${tool("etcd", "server")} --data-dir=${join(this.folder, "etcd")} --listen-client-urls=${client}
        --advertise-client-urls=${client} --listen-peer-urls=http://127.0.0.1:2380 --unsafe-no-fsync`,
    );
    this.start("kube-apiserver", [tool(apiServerOf(this.options), "kube-apiserver"), ...this.apiServerFlags()]);
    this.start("kubectl-proxy", [...this.asAdministrator, "proxy", `--unix-socket=${this.apiSocket}`]);
  }

  async apiReady(): Promise<void> {
    const ready = ["get", "--raw", "/readyz", "--request-timeout=2s"];
    await this.untilUp("kube-apiserver", 90, async () => Boolean(await this.kubectl.run(ready)));
  }

  /** Starts an API server with the same users and objects of its own, as that of another cluster. Returns its URL. */
  async startAnotherApi(name: string, port: number): Promise<string> {
    const flags = [...this.apiServerFlags(), `--secure-port=${port}`, `--etcd-prefix=/${name}`];
    const service = `kube-apiserver-${name}`;
    this.start(service, [tool(apiServerOf(this.options), "kube-apiserver"), ...flags]);
    const url = `https://${controlPlane.ipv4.address}:${port}`;
    const namespace = ["--server", url, "get", "namespace", "kube-system"];
    await this.untilUp(service, 90, async () => Boolean(await this.kubectl.run(namespace)));
    return url;
  }

  /** Kills the API server: a graceful stop waits a minute for its watches. */
  stopApi(): Promise<void> {
    return this.stop("kube-apiserver", "KILL");
  }

  async startApiAgain(): Promise<void> {
    this.startAgain("kube-apiserver");
    await this.apiReady();
  }

  startControllers(): void {
    const { pki, options } = this;
    const client = (name: string) => {
      const kubeconfig = pki.file(`${name}.conf`);
      const asClient = argv`--kubeconfig=${kubeconfig} --authentication-kubeconfig=${kubeconfig}
        --authorization-kubeconfig=${kubeconfig} --bind-address=127.0.0.1 --leader-elect=false
        --kube-api-qps=500 --kube-api-burst=1000`;
      return [...asClient, ...featureGates(options)];
    };
    const pods = ofFamilies(options.ipFamilies, podRanges).join(",");
    const services = ofFamilies(options.ipFamilies, serviceRanges).join(",");
    const ca = pki.file("ca");
    // A busy machine is silent for 12 seconds.
    const manager = argv`--node-monitor-period=1s --node-monitor-grace-period=50s
      --allocate-node-cidrs=false --cluster-cidr=${pods} --service-cluster-ip-range=${services}
      --service-account-private-key-file=${pki.file("service-account.key")} --use-service-account-credentials
      --root-ca-file=${ca}.crt --cluster-signing-cert-file=${ca}.crt --cluster-signing-key-file=${ca}.key`;
    const managerProgram = tool("kubernetes", "kube-controller-manager");
    this.start("kube-controller-manager", [managerProgram, ...client("kube-controller-manager"), ...manager]);
    this.start("kube-scheduler", [tool("kubernetes", "kube-scheduler"), ...client("kube-scheduler")]);
    // the API server calls webhooks at their Service's address
    const config = join(this.folder, "kube-proxy.json");
    writeFileSync(config, kubeProxyConfig(options.proxyMode, options.ipFamilies, pki.file("kube-proxy.conf")));
    // under a node's name, because kube-proxy waits for its own Node object
    const proxy = argv`${tool("kubernetes", "kube-proxy")} --config=${config} --hostname-override=node-1 --v=2`;
    this.start("kube-proxy", proxy);
  }

  /** What a node's resolv.conf points to: the outside world, of which only `outside.test` exists. */
  startOutsideDns(): void {
    const zoneFile = join(this.folder, "outside.zone");
    writeFileSync(zoneFile, outsideZone);
    this.startDns("outside-dns", outsideCorefile(zoneFile));
  }

  /** A DNS server outside the cluster, in the control plane's namespace. */
  startDns(service: string, corefile: string): void {
    const path = join(this.folder, `${service}.Corefile`);
    writeFileSync(path, corefile);
    this.start(service, [tool("coredns", "coredns"), "-conf", path]);
  }

  async hasSystemNamespace(): Promise<void> {
    const exists = async () => (await this.kubectl.get("namespace", "kube-system")) !== undefined;
    await this.untilUp("kube-apiserver", 30, exists, { what: "namespace kube-system" });
  }

  async hasDefaults(): Promise<void> {
    const objects = [
      ["serviceaccount/default", "configmap/kube-root-ca.crt", "-n", "default"],
      ["configmap/kube-root-ca.crt", "-n", "kube-system"],
    ];
    for (const args of objects)
      await this.untilUp("kube-controller-manager", 60, async () => Boolean(await this.kubectl.run(["get", ...args])), {
        what: `the defaults of every namespace: ${args.join(" ")}`,
        everyMs: 100,
      });
  }

  /** Lets programs outside the namespace reach the API server on a port of 127.0.0.1; writes their kubeconfig. */
  async openToTheMachine(): Promise<number> {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const { port } = listener.address() as AddressInfo;
    const [command = "", ...args] = this.command([process.execPath, bundle("rig/cluster/relay.ts"), String(apiPort)]);
    const relay = spawn(command, args, { detached: true, stdio: ["ignore", "ignore", "ignore", "ipc"] });
    await new Promise<void>((resolve, reject) =>
      relay.send("listen", listener, (error) => (error === null ? resolve() : reject(error))),
    );
    relay.disconnect();
    relay.unref();
    listener.close();
    writeFileSync(this.names.file("kubeconfig"), this.pki.kubeconfigText("admin", `https://127.0.0.1:${port}`), {
      mode: 0o600,
    });
    return port;
  }

  private apiServerFlags(): string[] {
    const { pki, options } = this;
    const [own, kubelet, account] = ["apiserver", "kubelet-client", "service-account"].map((name) =>
      pki.file(name),
    ) as [string, string, string];
    const services = ofFamilies(options.ipFamilies, serviceRanges).join(",");
    const flags = argv`--etcd-servers=http://127.0.0.1:2379 --secure-port=${apiPort} --bind-address=0.0.0.0
      --advertise-address=${controlPlane.ipv4.address} --service-cluster-ip-range=${services}
      --client-ca-file=${pki.file("ca.crt")} --tls-cert-file=${own}.crt --tls-private-key-file=${own}.key
      --kubelet-client-certificate=${kubelet}.crt --kubelet-client-key=${kubelet}.key
      --kubelet-preferred-address-types=InternalIP
      --service-account-issuer=https://kubernetes.default.svc.cluster.local
      --service-account-key-file=${account}.pub --service-account-signing-key-file=${account}.key
      --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --allow-privileged=true`;
    return [...flags, ...featureGates(options)];
  }
}

function featureGates({ featureGates: gates = [] }: ClusterOptions): string[] {
  return gates.length > 0 ? [`--feature-gates=${gates.join(",")}`] : [];
}

export function apiServerOf({ apiServerOnly }: ClusterOptions): GoToolsName {
  return apiServerOnly === undefined || apiServerOnly === "1.37" ? "kubernetes" : `kubernetes-${apiServerOnly}`;
}

const outsideZone = `$ORIGIN outside.test.
@ 60 IN SOA ns nobody 1 3600 600 86400 60
@ 60 IN NS ns
ns 60 IN A 172.30.0.1
www 60 IN A 192.0.2.1
www 60 IN AAAA 2001:db8::1
`;

function outsideCorefile(zoneFile: string): string {
  return `outside.test {
    file ${zoneFile}
    log
    errors
}
. {
    template ANY ANY {
        rcode NXDOMAIN
        authority ". 60 IN SOA outside.test. nobody.outside.test. 1 3600 600 86400 60"
    }
    log
    errors
}
`;
}
