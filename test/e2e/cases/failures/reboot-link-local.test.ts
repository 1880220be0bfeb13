import { reboots } from "./reboot";

reboots({ kubeProxyMode: "iptables", interception: "link-local" });
