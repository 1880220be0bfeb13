import { conformance } from "./conformance";

conformance({ proxyMode: "iptables", ipFamilies: "IPv4" });
