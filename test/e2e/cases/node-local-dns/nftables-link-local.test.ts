import { nodeLocalDns } from "./node-local-dns";

nodeLocalDns("nftables", "link-local");
