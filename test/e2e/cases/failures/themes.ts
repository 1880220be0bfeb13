import { brokenCommits } from "./corefile";
import { ended, spared } from "./eviction";
import { memory } from "./memory";
import { daemons, disk } from "./node";
import { type Row, underLoad } from "./under-load";
import { upgrades } from "./upgrade";

/** What ends the cache. */
export function endsTheCache(interception: Row["interception"]): void {
  const r = underLoad({ kubeProxyMode: "iptables", interception });
  ended(r);
  upgrades(r);
  disk(r);
  memory(r);
}

/** The cache stays, so that nothing is lost, however busy the machine. */
export function sparesTheCache(interception: Row["interception"]): void {
  const r = underLoad({ kubeProxyMode: "iptables", interception });
  brokenCommits(r);
  spared(r);
  daemons(r);
}
