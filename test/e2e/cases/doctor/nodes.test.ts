import { examined } from "./examined";
import { logs } from "./logs";
import { nodes } from "./nodes";
import { workloads } from "./workloads";

// What kubelets, kube-proxies and CoreDNS's logs say in time.
const x = examined();
nodes(x);
logs(x);
workloads(x);
