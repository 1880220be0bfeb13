import { ended } from "./eviction";
import { memory } from "./memory";
import { disk } from "./node";
import { underLoad } from "./under-load";
import { upgrades } from "./upgrade";

// What ends the cache.
const r = underLoad({ kubeProxyMode: "iptables", interception: "service-ip" });
ended(r);
upgrades(r);
disk(r);
memory(r);
