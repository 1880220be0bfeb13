import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, it, vi } from "vitest";
import { parse, stringify } from "yaml";
import type { Examined } from "./examined";

/** What the doctor may not read. */
export function readings(x: Examined): void {
  const { expectFound } = x;
  const objects = () => x.cluster().kubectl;

  describe("says what it could not read:", () => {
    interface Kubeconfig {
      contexts: { name: string; context: { cluster: string; user: string } }[];
      users: { name: string; user: object }[];
    }

    beforeAll(() => {
      const path = x.cluster().names.file("kubeconfig");
      const config = parse(readFileSync(path, "utf8")) as Kubeconfig;
      const [{ context } = { context: { cluster: "", user: "" } }] = config.contexts;
      const admin = config.users.find(({ name }) => name === context.user);
      config.users.push({ name: "viewer", user: { ...admin?.user, as: "viewer" } });
      config.contexts.push({ name: "viewer", context: { ...context, user: "viewer" } });
      const other = x.cluster().names.file("kubeconfig-viewer");
      writeFileSync(other, stringify(config));
      vi.stubEnv("KUBECONFIG", other);
    });

    it("for want of rights", async () => {
      await expectFound("unread", /services/, { context: "viewer", evidence: /User "viewer" cannot list/ });
      await objects().run(["create", "clusterrolebinding", "viewer", "--clusterrole=view", "--user=viewer"]);
      x.putBack(() => objects().delete("clusterrolebinding", "viewer"));
      await expectFound("unread-aside", /nodes/, { context: "viewer", evidence: /User "viewer" cannot list/ });
    });
  });
}
