import { atApiServer } from "./at-api-server";
import { besideBareServer } from "./beside-bare-server";

async function main(): Promise<void> {
  await besideBareServer();
  await atApiServer();
}

void main();
