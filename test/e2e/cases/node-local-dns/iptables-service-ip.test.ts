import { nodeLocalDns } from "./node-local-dns";

nodeLocalDns("iptables", "service-ip");
