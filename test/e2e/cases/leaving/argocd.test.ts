import { ArgoCd } from "../../../../rig/gitops/argocd";
import { Life } from "../gitops/life";
import { leavesController } from "./controller";

const life = Life.use("Argo CD", ArgoCd.start);

leavesController(life, { nodeLocalDNS: { interception: "link-local", removeAfter: "10s" } });
