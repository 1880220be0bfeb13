import { byHand } from "./by-hand";
import { deleted } from "./deleted";
import { examined } from "./examined";
import { podsAndWebhooks } from "./pods-and-webhooks";
import { workloads } from "./workloads";

// What the API server's objects tell.
const x = examined();
byHand(x);
workloads(x);
podsAndWebhooks(x);
deleted(x);
