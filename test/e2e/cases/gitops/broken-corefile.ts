import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { until } from "../../../../rig/until";
import type { Life } from "./life";
import { podsOf } from "../../lib/programs";

const brokenName = "coredns-0123456789";

export function mendsCorefile(life: Life): void {
  // With a component after CoreDNS: both controllers wait for the health of what comes before.
  it("applies the commit that mends a broken Corefile, although the broken one never becomes healthy", async () => {
    const edit = { nodeLocalDNS: { watchdog: false } };
    await life.commit(edit);
    breakCorefile(join(life.controller.fleet.manifests, "authoritative-dns"));
    await life.controller.commit();
    await until("the failure of a new pod", 120, async () => {
      return (await podsOf(life.cluster(), "kube-dns")).some(
        ({ spec, status }) =>
          spec.volumes?.some(({ configMap }) => configMap?.name === brokenName) &&
          (status?.containerStatuses?.[0]?.restartCount ?? 0) > 0,
      );
    });
    expect(await life.lostOfTen()).toBe(0);
    life.tell("a broken Corefile is mended", `${await life.commit(edit)} s after the commit`);
    expect(await life.lostOfTen()).toBe(0);
  });
}

/** No cluster file renders one that does not parse. */
function breakCorefile(folder: string): void {
  for (const file of readdirSync(folder).map((name) => join(folder, name))) {
    const text = readFileSync(file, "utf8").replaceAll(/coredns-[0-9a-f]{10}(?!\.yaml)/g, brokenName);
    writeFileSync(file, text.replace(/^( *)errors$/m, "$1errors\n$1no-such-plugin"));
  }
}
