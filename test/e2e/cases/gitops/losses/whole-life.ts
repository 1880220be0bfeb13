import { mendsCorefile } from "../broken-corefile";
import { takesCommits, handsOverReplicas, prunes } from "../commits";
import { editsCoreDns, leavesDnsAlone } from "../edits";
import type { Life } from "../life";
import { changesNodeCache } from "../node-cache";
import { underLoad } from "./under-load";

/** From kubeadm's CoreDNS to the end of the controller's own object. */
export function wholeLife(life: Life): void {
  editsCoreDns(life);
  underLoad(life, "two commits at once, the controller killed, a revert", takesCommits);
  underLoad(life, "from replicas to autoscaler and back", handsOverReplicas);
  changesNodeCache(life);
  underLoad(life, "the node cache comes, its watchdog leaves", prunes);
  underLoad(life, "a broken Corefile and its mend", mendsCorefile);
  leavesDnsAlone(life);
}
