import { conformance } from "./conformance";

conformance({ proxyMode: "nftables", ipFamilies: "dual", nodeCache: "nftables" });
