import { brokenCommits } from "./corefile";
import { spared } from "./eviction";
import { daemons } from "./node";
import { underLoad } from "./under-load";

// The cache stays, so that nothing is lost, however busy the machine.
const r = underLoad({ kubeProxyMode: "iptables", interception: "link-local" });
brokenCommits(r);
spared(r);
daemons(r);
