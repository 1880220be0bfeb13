import { existsSync } from "node:fs";
import { sleep } from "../until";
import { removeCluster } from "./cleanup";
import { Names } from "./names";
import { ownerLives } from "./owner";

/** Waits for the cluster's owner to end, then ends the cluster. Its argument is the cluster's name. */
async function main(): Promise<void> {
  const names = new Names(process.argv[2] ?? "");
  while (ownerLives(names)) await sleep(500);
  if (existsSync(names.state)) await removeCluster(names);
}

void main();
