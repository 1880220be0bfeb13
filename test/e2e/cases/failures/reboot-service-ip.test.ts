import { reboots } from "./reboot";

reboots({ kubeProxyMode: "iptables", interception: "service-ip" });
