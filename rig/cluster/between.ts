import { run } from "../run";
import type { Cluster } from "./cluster";

/**
 * The addresses at which two clusters reach each other: those of their routers, which are the namespaces of their
 * control planes. All else has the same addresses in both.
 */
export const between = { first: "192.168.99.1", second: "192.168.99.2" } as const;

const link = "between";

/** Lays a cable between the routers of two clusters. What leaves through it has the router's address, as with any NAT. */
export async function connect(first: Cluster, second: Cluster): Promise<void> {
  const [here, there] = [first, second].map(({ names }) => names.namespace("control-plane"));
  await run(["ip", "-n", here ?? "", "link", "add", link, "type", "veth", "peer", "name", link, "netns", there ?? ""]);
  for (const [{ controlPlane }, address] of [
    [first, between.first],
    [second, between.second],
  ] as const) {
    await controlPlane.exec(["ip", "addr", "add", `${address}/24`, "dev", link]);
    await controlPlane.exec(["ip", "link", "set", link, "up"]);
    const hook = "type nat hook postrouting priority 100";
    await controlPlane.exec(["nft", `table ip ${link} { chain out { ${hook}; oifname "${link}" masquerade; }; }`]);
  }
}

/** Cuts the cable. */
export async function disconnect({ controlPlane }: Cluster): Promise<void> {
  await controlPlane.exec(["ip", "link", "delete", link]);
}
