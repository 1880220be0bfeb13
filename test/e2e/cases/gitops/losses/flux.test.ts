import { Flux } from "../../../../../rig/gitops/flux";
import { Life } from "../life";
import { wholeLife } from "./whole-life";

wholeLife(Life.use("Flux", Flux.start));
