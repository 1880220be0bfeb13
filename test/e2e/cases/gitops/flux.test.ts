import { Flux } from "../../../../rig/gitops/flux";
import { changesOfLife } from "./changes-of-life";

changesOfLife("Flux", Flux.start);
