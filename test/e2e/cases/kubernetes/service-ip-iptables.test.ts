import { kubernetesSuite } from "./suite";

kubernetesSuite({ proxyMode: "iptables", ipFamilies: "IPv4", interception: "service-ip" });
