import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { refuseUnprobed } from "../../../src/agent/node-setup/refuse-unprobed";
import { configHash } from "../../../src/model/corefile/hash";
import { temporaryFolder } from "../../temporary-folder";

const folder = temporaryFolder("corefile");
const corefile = join(folder, "Corefile");
const rendered = ".:53 {\n    health\n}\n";

it("refuses a Corefile that was changed by hand, but only beside a cache that would answer for it", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const env = { COREFILE: corefile, COREFILE_HASH: configHash(rendered), HEALTH_PORT: String(port) };
  const attempt = (text: string) => {
    writeFileSync(corefile, text);
    return refuseUnprobed(env);
  };
  await expect(attempt(rendered)).resolves.toBeUndefined();
  await expect(attempt(".:5353 {\n}\n")).rejects.toThrow(
    `${corefile}: hash ${configHash(".:5353 {\n}\n")}, accepted: ${configHash(rendered)}, with which`,
  );
  other.close();
  await once(other, "close");
  await expect(attempt(".:5353 {\n}\n")).resolves.toBeUndefined();
});
