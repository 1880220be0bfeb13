import { Flux } from "../../../../rig/gitops/flux";
import { mendsCorefile } from "./broken-corefile";
import { takesCommits, handsOverReplicas, installs, prunes } from "./commits";
import { heals } from "./healing";
import { leavesFlux, movesFlux } from "./leaving";
import { Life } from "./life";

const life = Life.use("Flux", Flux.start);

installs(life);
heals(life);
takesCommits(life);
handsOverReplicas(life);
prunes(life);
mendsCorefile(life);
movesFlux(life);
leavesFlux(life);
