import { hasShownAll } from "./coverage";
import { showsHealth, takesWhatItRequests } from "./healthy";
import { Monitored } from "./monitored";
import { firesForServers } from "./server-faults";

// In order, on one cluster: each test begins with a healthy one, and mends what it broke.
const monitored = Monitored.use();

showsHealth(monitored);
takesWhatItRequests(monitored);
firesForServers(monitored);
hasShownAll(monitored);
