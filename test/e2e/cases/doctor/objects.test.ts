import { byHand, readings } from "./by-hand";
import { examined } from "./examined";

// What the API server says at once.
const x = examined();
byHand(x);
readings(x);
