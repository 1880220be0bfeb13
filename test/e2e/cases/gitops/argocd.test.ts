import { ArgoCd } from "../../../../rig/gitops/argocd";
import { changesOfLife } from "./changes-of-life";

changesOfLife("Argo CD", ArgoCd.start);
