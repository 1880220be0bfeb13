import { ArgoCd } from "../../../../../rig/gitops/argocd";
import { Life } from "../life";
import { wholeLife } from "./whole-life";

wholeLife(Life.use("Argo CD", ArgoCd.start));
