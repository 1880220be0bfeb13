import { kubernetesSuite } from "./suite";

kubernetesSuite({ proxyMode: "nftables", ipFamilies: "IPv4", interception: "link-local" });
