import { writeFileSync } from "node:fs";
import { apiPort, controlPlane } from "../cluster/addresses";
import type { Cluster } from "../cluster/cluster";
import type { KubernetesObject } from "../cluster/kubectl";
import { tool } from "../tools";
import { scrapeConfigs } from "./scrape-config";

const address = "127.0.0.1:9090";

/** A result of an instant query. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

/** A series of a range query. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [time: number, value: string])[];
}

/** An alert that fires or is about to. */
export interface ActiveAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: "pending" | "firing";
}

/** A real Prometheus in the control plane's namespace, which reaches pods and nodes. */
export class Prometheus {
  private constructor(private readonly cluster: Cluster) {}

  /**
   * Starts it with what the monitors among the objects find, the API server's metrics, and the rules.
   * @param seconds Between two scrapes, and between two evaluations.
   */
  static async start(
    cluster: Cluster,
    { objects, rules, seconds }: { objects: readonly KubernetesObject[]; rules: object; seconds: number },
  ): Promise<Prometheus> {
    const pki = (name: string) => cluster.names.file("pki", name);
    const kubeconfig = pki("admin.conf");
    const interval = `${seconds}s`;
    const [rulesFile, configFile] = [cluster.names.file("rules.json"), cluster.names.file("prometheus.json")];
    writeFileSync(rulesFile, JSON.stringify(rules));
    writeFileSync(
      configFile,
      JSON.stringify({
        global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
        rule_files: [rulesFile],
        scrape_configs: [
          ...objects
            .filter(({ kind }) => kind === "PodMonitor" || kind === "ServiceMonitor")
            .flatMap((monitor) => scrapeConfigs(monitor, kubeconfig)),
          {
            job_name: "apiserver",
            // a large page
            scrape_interval: "10s",
            scrape_timeout: "10s",
            scheme: "https",
            tls_config: { ca_file: pki("ca.crt"), cert_file: pki("admin.crt"), key_file: pki("admin.key") },
            static_configs: [{ targets: [`${controlPlane.ipv4.address}:${apiPort}`] }],
          },
        ],
      }),
    );
    await cluster.controlPlane.exec([tool("prometheus", "promtool"), "check", "config", configFile]);
    const data = cluster.names.file("prometheus-data");
    cluster.controlPlane.start("prometheus", [
      tool("prometheus", "prometheus"),
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=${address}`,
    ]);
    const prometheus = new Prometheus(cluster);
    const answers = async () => (await prometheus.query("vector(1)")).length === 1;
    await cluster.controlPlane.untilUp("prometheus", 60, answers);
    return prometheus;
  }

  async query(expression: string): Promise<Sample[]> {
    return (await this.get<{ result: Sample[] }>(`query?query=${encodeURIComponent(expression)}`)).result;
  }

  /** @param range Unix times, and what lies between two values; in seconds. */
  async queryRange(
    expression: string,
    { start, end, step }: { start: number; end: number; step: number },
  ): Promise<Series[]> {
    const path = `query_range?query=${encodeURIComponent(expression)}&start=${start}&end=${end}&step=${step}`;
    return (await this.get<{ result: Series[] }>(path)).result;
  }

  async alerts(): Promise<readonly ActiveAlert[]> {
    return (await this.get<{ alerts: ActiveAlert[] }>("alerts")).alerts;
  }

  private async get<Data>(path: string): Promise<Data> {
    const { stdout } = await this.cluster.controlPlane.attempt(["curl", "-s", `http://${address}/api/v1/${path}`]);
    const answer = JSON.parse(stdout) as { status: string; data: Data; error?: string };
    if (answer.status !== "success") throw new Error(`Prometheus: ${answer.error}`);
    return answer.data;
  }
}
