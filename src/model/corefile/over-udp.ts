import { plugin } from "./corefile";
import { maxAnswersOverTcp } from "./outside-names";

/** Of two blocks, the one for queries over UDP, whose answers are small. */
export const overUdp = plugin("view", ["udp"], [plugin("expr", ["proto() == 'udp'"])]);

/** Of the other. */
export const maxConcurrentOverTcp = plugin("max_concurrent", [maxAnswersOverTcp]);
