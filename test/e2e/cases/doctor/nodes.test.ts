import { examined } from "./examined";
import { logs } from "./logs";
import { nodes } from "./nodes";
import { readings } from "./readings";

// What nodes, logs and other descriptions tell.
const x = examined();
nodes(x);
logs(x);
readings(x);
