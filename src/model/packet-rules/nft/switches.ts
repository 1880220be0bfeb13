import { familyOf } from "../../syntax/addresses";
import { includesListener, type Listener, type Switches } from "../listener";
import { setName, tableName, watchedSet } from "./names";

/** The transaction that takes the switches from one state to another; empty if they are the same. */
export function renderNftSwitches(from: Switches, to: Switches): string {
  // The watchdog that turns the host's switch is there. Its next canary may be two seconds away.
  const watched = familiesOf(without(to.host, from.host));
  return [
    ...(["pods", "host"] as const).flatMap((name) => [
      ...turnOff(name, from, to),
      ...without(to[name], from[name]).map((listener) => `add ${elementIn(name, listener)}`),
    ]),
    ...(watched.length > 0 ? [`add element inet ${tableName} ${watchedSet} { ${watched.join(", ")} }\n`] : []),
  ].join("");
}

/** Of listeners, as nft names them. */
export function familiesOf(listeners: readonly Listener[]): string[] {
  return [...new Set(listeners.map(({ address }) => (familyOf(address) === "IPv6" ? "ipv6" : "ipv4")))];
}

/** A listener as an element of a switch's set. */
export function element({ address, protocol }: Listener): string {
  return `${address} . ${protocol}`;
}

type Switch = keyof Switches;

// A cache that hangs turns all switches off, and that must be fast: to name an element, nft first reads the sets of all
// tables, which takes 0.15 s with kube-proxy's rules for 10,000 Services.
function turnOff(name: Switch, from: Switches, to: Switches): string[] {
  return (["IPv4", "IPv6"] as const).flatMap((family) => {
    const ofFamily = (switches: Switches) => switches[name].filter(({ address }) => familyOf(address) === family);
    const gone = without(ofFamily(from), ofFamily(to));
    if (gone.length === 0) return [];
    return ofFamily(to).length === 0
      ? [`flush set inet ${tableName} ${setName(name, family)}\n`]
      : gone.map((listener) => remove(name, listener));
  });
}

// Deleting a missing element fails, so it is added first.
function remove(name: Switch, listener: Listener): string {
  return `add ${elementIn(name, listener)}delete ${elementIn(name, listener)}`;
}

function elementIn(name: Switch, listener: Listener): string {
  return `element inet ${tableName} ${setName(name, familyOf(listener.address))} { ${element(listener)} }\n`;
}

function without(these: readonly Listener[], others: readonly Listener[]): Listener[] {
  return these.filter((listener) => !includesListener(others, listener));
}
