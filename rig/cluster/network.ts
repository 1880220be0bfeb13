import { argv } from "../argv";
import { attempt, run } from "../run";
import { controlPlane, nodeAddresses, nodePodRanges, ofFamilies, serviceRanges, type IpFamilies } from "./addresses";
import type { Names } from "./names";

/** The control plane's namespace, with the bridge that nodes are attached to. */
export async function createControlPlaneNetwork(names: Names, families: IpFamilies): Promise<void> {
  const namespace = names.namespace("control-plane");
  await run(["ip", "netns", "add", namespace]);
  await prepare(namespace);
  await ip(namespace, [
    "link set lo up",
    // Without an address of its own it takes the lowest of its ports', and changes it as nodes come and go: others would
    // send to the old one for half a minute.
    "link add br0 address 02:00:00:00:00:01 type bridge",
    ...ofFamilies(families, controlPlane).map(({ address, prefix }) => `addr add ${address}/${prefix} dev br0 nodad`),
    "link set br0 up",
    // A Service's address is translated only after routing, and this namespace has no default route.
    ...ofFamilies(families, serviceRanges).map((range) => `route add ${range} dev br0`),
  ]);
}

/** A node's namespace, attached to the bridge, and the routes to its pods from everywhere else. */
export async function createNodeNetwork(
  names: Names,
  index: number,
  count: number,
  families: IpFamilies,
): Promise<void> {
  const namespace = names.namespace(`node-${index}`);
  const upstream = names.namespace("control-plane");
  await run(["ip", "netns", "add", namespace]);
  await prepare(namespace);
  await ip(upstream, [
    `link add node-${index} type veth peer name eth0 netns ${namespace}`,
    `link set node-${index} master br0 up`,
  ]);
  await ip(namespace, [
    "link set lo up",
    ...ofFamilies(families, nodeAddresses(index)).map(
      ({ address, prefix }) => `addr add ${address}/${prefix} dev eth0 nodad`,
    ),
    "link set eth0 up",
    ...ofFamilies(families, controlPlane).map(({ address }) => `route add default via ${address}`),
    ...others(index, count).flatMap((other) => routesToPods("add", other, families)),
  ]);
  await ip(upstream, routesToPods("replace", index, families));
}

/** Removes what a node loses without power: its links, addresses, rules and connections. */
export async function removeNodeNetwork(names: Names, index: number): Promise<void> {
  await attempt(["ip", "-n", names.namespace("control-plane"), "link", "del", `node-${index}`]);
  await run(["ip", "netns", "del", names.namespace(`node-${index}`)]);
}

function routesToPods(verb: string, index: number, families: IpFamilies): string[] {
  const via = ofFamilies(families, nodeAddresses(index));
  return ofFamilies(families, nodePodRanges(index)).map(
    (range, family) => `route ${verb} ${range} via ${via[family]?.address}`,
  );
}

function others(index: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1).filter((other) => other !== index);
}

/** Packets are forwarded, and those bridged between pods of a node pass kube-proxy's rules too. */
async function prepare(namespace: string): Promise<void> {
  const settings = argv`net/ipv4/ip_forward net/ipv6/conf/all/forwarding
    net/bridge/bridge-nf-call-iptables net/bridge/bridge-nf-call-ip6tables`;
  const set = 'for f; do [ ! -e "/proc/sys/$f" ] || echo 1 > "/proc/sys/$f"; done';
  await run([...argv`ip netns exec ${namespace} sh -c ${set} sh`, ...settings]);
}

function ip(namespace: string, lines: readonly string[]): Promise<string> {
  return run(["ip", "-n", namespace, "-batch", "-"], { input: `${lines.join("\n")}\n` });
}
