import { kubernetesSuite } from "./suite";

kubernetesSuite({ proxyMode: "nftables", ipFamilies: "dual" });
