import { Flux } from "../../../../rig/gitops/flux";
import { mendsCorefile } from "./broken-corefile";
import { takesCommits } from "./commits";
import { prunes } from "./components";
import { heals } from "./healing";
import { installs } from "./installation";
import { leavesFlux } from "./leaving";
import { Life } from "./life";
import { movesFlux } from "./moving";
import { handsOverReplicas } from "./replicas";

const life = Life.use("Flux", Flux.start);

installs(life);
heals(life);
takesCommits(life);
handsOverReplicas(life);
prunes(life);
mendsCorefile(life);
movesFlux(life);
leavesFlux(life);
