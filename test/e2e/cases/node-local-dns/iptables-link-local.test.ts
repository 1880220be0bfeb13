import { nodeLocalDns } from "./node-local-dns";

nodeLocalDns("iptables", "link-local");
