import { readFileSync } from "node:fs";
import { keep } from "../../../../rig/cluster/images";
import { type TarEntry, tar } from "../../../../rig/cluster/tar";
import { run } from "../../../../rig/run";
import { tool, toolsVersion } from "../../../../rig/tools";

/** What the suite's pods call. */
const programs = ["cat", "curl", "dig", "getent", "hostname", "nc", "nslookup", "seq", "sh", "sleep"];

/**
 * The archive of one image under each name that the suite gives to those of its pods: agnhost, CoreDNS, and programs of
 * this machine's Debian with their libraries.
 */
export async function suiteImage(): Promise<string> {
  const listed = await run([tool("kubernetes-suite", "e2e.test"), "--list-images"]);
  const names = listed.split("\n").filter((name) => /\/(agnhost|glibc-dns-testing):/.test(name));
  const paths = (await run(["sh", "-c", 'for name; do command -v "$name"; done', "sh", ...programs]))
    .trim()
    .split("\n");
  const libraries = [...(await run(["ldd", ...paths])).matchAll(/(?:=> |^\s)(\/\S+)/gm)].flatMap(
    ([, path = ""]) => path,
  );
  return keep(`kubernetes-suite-${toolsVersion("kubernetes-suite")}`, () => ({
    names,
    layers: [
      tar([
        ...paths.map((path, index) => file(`bin/${programs[index]}`, path)),
        ...[...new Set(libraries)].map((path) => file(path.slice(1), path)),
        file("agnhost", tool("kubernetes-suite", "agnhost")),
        file("coredns", tool("coredns", "coredns")),
        { path: "etc/nsswitch.conf", mode: 0o644, data: Buffer.from("hosts: files dns\n") },
        { path: "tmp/", mode: 0o1777 },
      ]),
    ],
    entrypoint: ["/agnhost"],
  }));
}

function file(path: string, source: string): TarEntry {
  return { path, data: readFileSync(source) };
}
