import { byHand } from "./by-hand";
import { deleted } from "./deleted";
import { examined } from "./examined";

// What the API server's objects tell at once.
const x = examined();
byHand(x);
deleted(x);
