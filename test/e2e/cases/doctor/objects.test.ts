import { byHand } from "./by-hand";
import { examined } from "./examined";
import { readings } from "./readings";

// What the API server says at once.
const x = examined();
byHand(x);
readings(x);
