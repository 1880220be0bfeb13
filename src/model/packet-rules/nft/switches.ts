import { familyOf } from "../../syntax/addresses";
import { includesListener, type Listener, type Switches } from "../listener";
import { setName, tableName } from "./names";

/** Takes the switches from one state to another as a transaction; empty when they are the same. */
export function renderNftSwitches(from: Switches, to: Switches): string {
  return [
    ...without(from.pods, to.pods).map((listener) => remove("pods", listener)),
    ...without(to.pods, from.pods).map((listener) => add("pods", listener)),
    ...without(from.host, to.host).map((listener) => remove("host", listener)),
    renderNftHostRenewal(without(to.host, from.host)),
  ].join("");
}

/** Leads the host's queries to these listeners for another timeout. Adding an element that exists would not renew its time. */
export function renderNftHostRenewal(listeners: readonly Listener[]): string {
  return listeners.map((listener) => remove("host", listener) + add("host", listener)).join("");
}

/** A listener as an element of a switch's set. */
export function element({ address, protocol }: Listener): string {
  return `${address} . ${protocol}`;
}

type Switch = keyof Switches;

function add(name: Switch, listener: Listener): string {
  return `add ${elementIn(name, listener)}`;
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
