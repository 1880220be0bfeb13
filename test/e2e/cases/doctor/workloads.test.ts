import { examined } from "./examined";
import { podsAndWebhooks } from "./pods-and-webhooks";
import { workloads } from "./workloads";

// What they tell once pods have come up, or have not.
const x = examined();
workloads(x);
podsAndWebhooks(x);
