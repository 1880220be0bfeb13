import { Flux } from "../../../../rig/gitops/flux";
import { Life } from "../gitops/life";
import { leavesController } from "./controller";

const life = Life.use("Flux", Flux.start);

leavesController(life, {
  nodeLocalDNS: {},
  admission: { allowedUsers: ["system:serviceaccount:flux-system:kustomize-controller"] },
});
