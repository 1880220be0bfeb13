import { until } from "../until";
import type { Network } from "./network";

/** A sample of the watchdog's metrics; undefined if it has none. `labels` in Prometheus' notation. */
export function metric(network: Network, name: string, labels = ""): number | undefined {
  const line = page(network, "/metrics")
    .split("\n")
    .find((text) => text.startsWith(`node_local_dns_watchdog_${name}${labels === "" ? " " : `{${labels}}`}`));
  return line === undefined ? undefined : Number(line.split(" ").at(-1));
}

/** The response of one of the watchdog's endpoints, preceded by the status unless it is 200. */
export function page(network: Network, path: string, port = 9254, timeoutMs = 20_000): string {
  const script = `require("http").get("http://127.0.0.1:${port}${path}",r=>{let t=r.statusCode===200?"":r.statusCode+" ";r.on("data",d=>t+=d);r.on("end",()=>process.stdout.write(t))}).on("error",e=>process.stdout.write(String(e))).setTimeout(${timeoutMs},function(){this.destroy()})`;
  return network.node.run(process.execPath, ["-e", script]);
}

/** Waits until the watchdog reports that it is ready. */
export async function ready(network: Network): Promise<void> {
  const isReady = async () => {
    const said = page(network, "/readyz");
    if (said !== "ok\n") throw new Error(said);
    return true;
  };
  await until("the watchdog to be ready", 30, isReady, 50);
}
