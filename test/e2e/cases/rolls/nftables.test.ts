import { rolls } from "./rolls";

rolls("nftables");
