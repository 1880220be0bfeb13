import { nodeLocalDns } from "./node-local-dns";

nodeLocalDns("nftables", "service-ip");
