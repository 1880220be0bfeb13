import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { agentProgram } from "../../rig/kernel/agent";
import { temporaryFolder } from "../temporary-folder";
import { marker } from "../../src/model/node-resolver/hosts-lines";

const missing =
  process.getuid?.() !== 0
    ? "needs root"
    : spawnSync("unshare", ["--mount", "true"]).status !== 0
      ? "needs mount namespaces (unshare)"
      : undefined;

const before = `127.0.0.1 localhost\n10.0.0.1 a.ns.svc a.ns.svc.cluster.local ${marker}\n`;

describe.skipIf(missing !== undefined)(
  `leaves a hosts file that cannot be replaced unchanged${missing ? ` (${missing})` : ""}`,
  () => {
    const folder = temporaryFolder("hosts-mounts");
    const etc = join(folder, "etc");
    const hosts = join(etc, "hosts");

    beforeAll(() => {
      mkdirSync(etc);
      writeFileSync(hosts, before);
    });

    it.each<[what: string, mounts: string, message: string]>([
      [
        "a mount of its own",
        `mount --bind ${hosts} ${hosts}`,
        "is a mount of its own, which cannot be replaced; mount its folder, not the file",
      ],
      ["a read-only folder", `mount --bind ${etc} ${etc}; mount -o remount,ro,bind ${etc}`, "its folder is read-only"],
      [
        "a full disk",
        `mount -t tmpfs -o size=16k none ${etc}; cp ${folder}/copy ${hosts}; dd if=/dev/zero of=${etc}/fill bs=4k 2>/dev/null`,
        "no space left",
      ],
      ["an immutable file", `chattr +i ${hosts}; trap "chattr -i ${hosts}" EXIT`, "is immutable"],
    ])("%s", (_what, mounts, message) => {
      writeFileSync(join(folder, "copy"), before);
      const { ino } = statSync(hosts);
      const args = ["cleanup", "--hosts-file", "/etc/hosts", "--host-root", folder, "--once"];
      const script = `{ ${mounts}; }; sleep 0.2; "$@"; status=$?; cat ${hosts}; ls -A ${etc} | grep cluster-dns; exit $status`;
      const run = spawnSync(
        "unshare",
        ["--mount", "sh", "-c", script, "sh", process.execPath, agentProgram(), ...args],
        { encoding: "utf8" },
      );
      expect(run).toMatchObject({ status: 1, stdout: expect.stringContaining(message), stderr: "" });
      expect(run.stdout.endsWith(`\n${before}`)).toBe(true);
      expect(statSync(hosts).ino).toBe(ino);
      expect(readFileSync(hosts, "utf8")).toBe(before);
    });
  },
);
