import { rolls } from "./rolls";

rolls("iptables");
