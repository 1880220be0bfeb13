import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentArchive } from "../cluster/agent-image";
import { buildImages } from "../cluster/images";
import { containerdConfig, standaloneKubeletConfig } from "../cluster/node-files";
import { addresses, type Network } from "../kernel/network";
import { run } from "../run";
import { tool } from "../tools";
import { until } from "../until";
import { cgroupRoot } from "./cgroup2";
import type { StaticPod } from "./static-pod";

/**
 * A kubelet with its containerd on a network's node, on cgroup version 2. No API server tells it what to run: it runs
 * the pods that it is given, which are on the node's network.
 */
export class StandaloneKubelet {
  private readonly cgroup = join(cgroupRoot, "node");
  private readonly pods: string;
  private kubelet: ChildProcess | undefined;

  private constructor(private readonly network: Network) {
    this.pods = join(network.folder, "manifests");
  }

  /** Starts them, on a kernel whose root they have to themselves, with the images of every node and that of the agent. */
  static async start(network: Network): Promise<StandaloneKubelet> {
    const node = new StandaloneKubelet(network);
    try {
      await node.startContainerd();
      node.startKubelet();
      return node;
    } catch (error) {
      console.error(node.logs());
      await node.end();
      throw error;
    }
  }

  run(pod: StaticPod): void {
    writeFileSync(join(this.pods, `${pod.metadata.name}.json`), JSON.stringify(pod));
  }

  /** While the kubelet is paused, what ends stays ended. */
  async whilePaused(work: () => Promise<void>): Promise<void> {
    this.kubelet?.kill("SIGSTOP");
    try {
      await work();
    } finally {
      this.kubelet?.kill("SIGCONT");
    }
  }

  /** The last lines of each. */
  logs(): string {
    const containers = "/var/log/pods";
    const ofContainers = existsSync(containers) ? readdirSync(containers, { encoding: "utf8", recursive: true }) : [];
    const files = [
      this.logFile("containerd"),
      this.logFile("kubelet"),
      ...ofContainers.filter((file) => file.endsWith(".log")).map((file) => join(containers, file)),
    ];
    const last = (file: string) => readFileSync(file, "utf8").trimEnd().split("\n").slice(-40);
    return files
      .filter((file) => existsSync(file))
      .flatMap((file) => [`${file}:`, ...last(file)])
      .join("\n");
  }

  /** Ends every process of the node, those of pods too. */
  async end(): Promise<void> {
    for (const cgroup of [this.cgroup, join(cgroupRoot, "kubepods")]) {
      await run(["sh", "-c", '[ ! -e "$1/cgroup.kill" ] || echo 1 > "$1/cgroup.kill"', "sh", cgroup]);
    }
  }

  private async startContainerd(): Promise<void> {
    // An overlay's changes cannot be on another overlay, as the guest's root is one.
    const disk = "/var/lib/containerd";
    mkdirSync(disk, { recursive: true });
    await run(["mount", "-t", "tmpfs", "tmpfs", disk]);
    mkdirSync(this.cgroup);
    const config = join(this.network.folder, "containerd.toml");
    const noPlugins: string[] = []; // its pods are on the node's network
    writeFileSync(config, containerdConfig(tool("runc", "runc"), noPlugins));
    this.start("containerd", [tool("containerd", "containerd"), "--config", config]);
    const ctr = [tool("containerd", "ctr"), "-n", "k8s.io"];
    await until("containerd", 120, async () => (await run([...ctr, "version"])) !== "");
    const images = [...(await buildImages((what) => console.error(what))), await agentArchive()];
    for (const image of images) await run([...ctr, "image", "import", image], { timeoutSeconds: 600 });
  }

  private startKubelet(): void {
    const { folder } = this.network;
    mkdirSync(this.pods);
    const config = join(folder, "kubelet.json");
    const resolvConf = join(folder, "resolv.conf");
    writeFileSync(resolvConf, `nameserver ${addresses.IPv4.dns}\n`);
    writeFileSync(config, standaloneKubeletConfig(resolvConf, this.pods));
    this.kubelet = this.start("kubelet", [
      tool("kubernetes", "kubelet"),
      `--config=${config}`,
      "--hostname-override=node-1",
      `--node-ip=${addresses.IPv4.node}`,
      "--v=2",
    ]);
  }

  /** `nsenter`, not `ip netns exec`: the two see each other's mounts, and the guest's cgroups. */
  private start(program: "containerd" | "kubelet", argv: readonly string[]): ChildProcess {
    const enter = 'echo $$ > "$1/cgroup.procs" && net=/run/netns/$2 && shift 2 && exec nsenter --net="$net" -- "$@"';
    const log = openSync(this.logFile(program), "a");
    const args = ["-c", enter, "sh", this.cgroup, this.network.node.name, ...argv];
    const child = spawn("sh", args, { stdio: ["ignore", log, log] });
    closeSync(log);
    return child;
  }

  private logFile(program: "containerd" | "kubelet"): string {
    return join(this.network.folder, `${program}.log`);
  }
}
