import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { cacheFolder, repositoryRoot } from "../repository";
import { argv } from "../argv";
import { tool, toolsFolder } from "../tools";
import { until } from "../until";
import { controlPlane, nodeAddresses, ofFamilies } from "./addresses";
import { ciliumFlags, ciliumSource, clangFolder } from "./cilium";
import { cgroupProcesses, hierarchyOptions, inCgroup, removeCgroup } from "./cgroups";
import type { ClusterOptions } from "./options";
import type { Names } from "./names";
import { createNodeNetwork, removeNodeNetwork } from "./network";
import { cniConfig, containerdConfig, kubeletConfig, kubeProxyConfig } from "./node-files";
import type { Pki } from "./pki";
import { Place } from "./place";

/** A node: namespaces with their own containerd, kubelet and kube-proxy, or Cilium. */
export class ClusterNode extends Place {
  readonly name: string;

  constructor(
    private readonly names: Names,
    readonly index: number,
    private readonly options: ClusterOptions,
  ) {
    const name = `node-${index}`;
    super(`${names.cgroup}/${name}`, names.file(name), () => argv`nsenter -t ${this.initPid()} -m -u -i -n -p -C --`);
    this.name = name;
  }

  get address(): string {
    return nodeAddresses(this.index).ipv4.address;
  }

  /** The path of one of the node's files, for this process. */
  diskFile(path: string): string {
    return join(this.folder, "root", path);
  }

  async createConfiguration(pki: Pki): Promise<void> {
    mkdirSync(this.folder, { recursive: true });
    const addresses = ofFamilies(this.options.ipFamilies, nodeAddresses(this.index)).map(
      ({ address }) => `IP:${address}`,
    );
    await pki.kubeconfig(this.name, `/O=system:nodes/CN=system:node:${this.name}`, [`DNS:${this.name}`, ...addresses]);
    this.write("containerd.toml", containerdConfig(tool("runc", "runc"), [toolsFolder("cni"), toolsFolder("cilium")]));
    this.write("kubelet.json", kubeletConfig(pki.file("ca.crt")));
    this.configureProxy(this.options.proxyMode);
  }

  /** Powers the node on: namespaces, containerd with the images, kubelet and, unless left out, kube-proxy; or Cilium. */
  async boot(images: readonly string[], { withProxy = true } = {}): Promise<void> {
    this.prepare();
    await createNodeNetwork(this.names, this.index, this.options.nodes, this.options.ipFamilies);
    await this.startInit();
    this.start("containerd", [tool("containerd", "containerd"), "--config", join(this.folder, "containerd.toml")]);
    await this.untilUp("containerd", 30, async () => Boolean(await this.exec([tool("containerd", "ctr"), "version"])), {
      what: `containerd of ${this.name}`,
      everyMs: 100,
    });
    for (const image of images) await this.importImage(image);
    const addresses = ofFamilies(this.options.ipFamilies, nodeAddresses(this.index)).map(({ address }) => address);
    const kubelet = argv`--config=${join(this.folder, "kubelet.json")} --config-dir=/etc/kubernetes/kubelet.conf.d
      --kubeconfig=${this.names.file("pki", `${this.name}.conf`)} --hostname-override=${this.name}
      --node-ip=${addresses.join(",")} --root-dir=/var/lib/kubelet --cert-dir=/var/lib/kubelet/pki --v=2`;
    this.start("kubelet", [tool("kubernetes", "kubelet"), ...kubelet]);
    if (this.options.cilium === true) return this.startCilium();
    writeFileSync(this.diskFile("etc/cni/net.d/10-pods.conflist"), cniConfig(this.index, this.options.ipFamilies));
    if (withProxy) this.startProxy();
  }

  startProxy(): void {
    const flags = argv`--config=${join(this.folder, "kube-proxy.json")} --hostname-override=${this.name} --v=2`;
    this.start("kube-proxy", [tool("kubernetes", "kube-proxy"), ...flags]);
  }

  /** Its agent writes the CNI's configuration once it can make pods' networks. */
  private async startCilium(): Promise<void> {
    // A copy: it writes into the folder what the kernel can do.
    const prepare = `mkdir -p /var/lib/cilium && cp -r --no-preserve=mode "$1/bpf" /var/lib/cilium/ && mount -t bpf bpf /sys/fs/bpf`;
    await this.exec(["sh", "-c", prepare, "sh", await ciliumSource()]);
    const flags = ciliumFlags(this.names.file("pki", "admin.conf"), this.options.ipFamilies);
    this.start("cilium-agent", [tool("cilium", "daemon"), ...flags], {
      PATH: `${clangFolder}:${process.env["PATH"]}`,
      K8S_NODE_NAME: this.name,
    });
  }

  /** Cuts the power: everything ends at once; the disk keeps its contents. */
  async powerOff(): Promise<void> {
    process.kill(this.initPid(), "SIGKILL"); // when a pid namespace's first process ends, the kernel kills the others
    await until(
      `the end of all processes of ${this.name}`,
      30,
      async () => cgroupProcesses(this.cgroup).length === 0,
      50,
    );
    await until(`the removal of the cgroup of ${this.name}`, 30, async () => removeCgroup(this.cgroup), 50);
    await removeNodeNetwork(this.names, this.index);
    rmSync(join(this.folder, "init.pid"));
  }

  async powerOn(how?: { readonly withProxy: boolean }): Promise<void> {
    await this.boot([], how);
  }

  get isOn(): boolean {
    return existsSync(join(this.folder, "init.pid"));
  }

  /** A restarted kubelet keeps the running pods. */
  restartKubelet(): Promise<void> {
    return this.restart("kubelet");
  }

  /**
   * Writes a drop-in for the kubelet's configuration, as a fleet's configuration management would; undefined removes
   * it. Those whose names come later in the alphabet win.
   */
  async configureKubelet(dropIn: string | undefined, name = "50-cluster-dns"): Promise<void> {
    const file = this.diskFile(`etc/kubernetes/kubelet.conf.d/${name}.conf`);
    if (dropIn === undefined) rmSync(file, { force: true });
    else writeFileSync(file, dropIn);
    await this.restartKubelet();
  }

  /** On start, kube-proxy removes the rules of its other mode. */
  changeProxyMode(mode: ClusterOptions["proxyMode"]): Promise<void> {
    this.configureProxy(mode);
    return this.restart("kube-proxy");
  }

  /** Imports an image (an archive as `docker save` writes it) on the node. */
  async importImage(archive: string): Promise<void> {
    await this.exec([tool("containerd", "ctr"), "-n", "k8s.io", "image", "import", archive], { timeoutSeconds: 300 });
  }

  /** The pid, as the node sees it, of a process in one of the pod's containers. */
  podPid(podUid: string): number {
    const pid = this.podProcess(podUid);
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const [, inNode] = /^NSpid:\s+\d+\s+(\d+)/m.exec(status) ?? [];
    if (inNode === undefined)
      throw new Error(`process ${pid} of pod ${podUid} is not in a pid namespace of ${this.name}`);
    return Number(inNode);
  }

  /** Whether any pod runs. */
  get hasPods(): boolean {
    return cgroupProcesses(`${this.cgroup}/kubepods`).length > 0;
  }

  /** The same pid as the machine sees it, for sending signals. */
  podProcess(podUid: string): number {
    const parents = ["kubepods", "kubepods/besteffort", "kubepods/burstable"];
    const pids = parents.flatMap((parent) => cgroupProcesses(`${this.cgroup}/${parent}/pod${podUid}`));
    const pid = pids.find(hasHostsOfKubelet);
    if (pid === undefined) throw new Error(`no container of pod ${podUid} runs on ${this.name}`);
    return pid;
  }

  private configureProxy(mode: ClusterOptions["proxyMode"]): void {
    const kubeconfig = this.names.file("pki", "kube-proxy.conf");
    this.write("kube-proxy.json", kubeProxyConfig(mode, this.options.ipFamilies, kubeconfig));
  }

  private async startInit(): Promise<void> {
    for (const file of ["init.pid", "ready"]) rmSync(join(this.folder, file), { force: true });
    const init = argv`nsenter --net=/run/netns/${this.names.namespace(this.name)} --
      unshare --mount --uts --ipc --pid --cgroup --fork --kill-child --propagation private
      ${join(repositoryRoot, "rig/cluster/node-init.sh")} ${this.name} ${this.folder} ${controlPlane.ipv4.address}`;
    const visible = [repositoryRoot, cacheFolder, dirname(process.execPath)];
    const [command = "", ...args] = inCgroup(this.cgroup, [...init, ...hierarchyOptions(), "--", ...visible]);
    const log = openSync(join(this.folder, "init.log"), "a");
    spawn(command, args, { detached: true, stdio: ["ignore", log, log] }).unref();
    closeSync(log);
    const isReady = async () => existsSync(join(this.folder, "ready"));
    await this.untilUp("init", 20, isReady, { what: `the namespaces of ${this.name}`, everyMs: 50 });
  }

  private initPid(): number {
    try {
      return Number(readFileSync(join(this.folder, "init.pid"), "utf8"));
    } catch {
      throw new Error(`${this.name} is powered off`);
    }
  }

  private write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }
}

/**
 * The kubelet gives its hosts file to the containers, not to the sandbox. A container that is being created still has
 * the node's root, with a hosts file of its own.
 */
function hasHostsOfKubelet(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/root/etc/hosts`, "utf8").startsWith("# Kubernetes-managed hosts file");
  } catch {
    return false;
  }
}
