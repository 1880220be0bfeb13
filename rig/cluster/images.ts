import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Progress } from "../progress";
import { cacheFolder } from "../repository";
import { buildPause, tool, toolsVersion } from "../tools";
import { pauseImage } from "./node-files";
import { outsidePki } from "./outside-pki";
import { tar, type TarEntry } from "./tar";

export interface Image {
  readonly names: readonly string[];
  readonly layers: readonly Buffer[];
  readonly entrypoint: readonly string[];
  readonly user?: string;
  readonly environment?: readonly string[];
}

/** The archives that every node imports. */
export async function buildImages(progress: Progress): Promise<string[]> {
  const pause = await buildPause(progress);
  const authority = readFileSync((await outsidePki()).file("ca.crt"));
  return [
    keep(`pause-${toolsVersion("kubernetes")}`, () => ({
      names: [pauseImage],
      layers: [tar([{ path: "pause", data: readFileSync(pause) }])],
      entrypoint: ["/pause"],
      user: "65535:65535",
    })),
    keep(`coredns-${toolsVersion("coredns")}-${sha256(authority).slice(0, 10)}`, () => corednsImage(authority)),
  ];
}

/** The path of the image's archive, made once. */
export function keep(name: string, image: () => Image): string {
  const path = join(cacheFolder, "images", `${name}.tar`);
  if (existsSync(path)) return path;
  mkdirSync(join(cacheFolder, "images"), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, imageArchive(image()));
  renameSync(`${path}.${process.pid}`, path);
  return path;
}

/**
 * CoreDNS like the official image: run as nonroot (65532), with the file capability that lets the binary bind port 53.
 * An image that runs as root would hide a gap in a security context. It trusts the tests' outside world.
 */
function corednsImage(authority: Buffer): Image {
  const version = toolsVersion("coredns");
  // struct vfs_cap_data, revision 2 with the effective bit: permitted CAP_NET_BIND_SERVICE (bit 10)
  const netBindService = Buffer.from("0100000200040000000000000000000000000000", "hex");
  const files: TarEntry[] = [
    { path: "etc/" },
    {
      path: "etc/passwd",
      mode: 0o644,
      data: Buffer.from(
        "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n",
      ),
    },
    { path: "etc/group", mode: 0o644, data: Buffer.from("root:x:0:\nnonroot:x:65532:\n") },
    { path: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data: authority },
    { path: "tmp/", mode: 0o1777 },
    {
      path: "coredns",
      data: readFileSync(tool("coredns", "coredns")),
      attributes: { "security.capability": netBindService },
    },
  ];
  return {
    names: [`registry.k8s.io/coredns/coredns:${version}`, `docker.io/coredns/coredns:${version.slice(1)}`],
    layers: [tar(files)],
    entrypoint: ["/coredns"],
    user: "nonroot:nonroot",
  };
}

/** The image in the format of `docker save`, which `ctr image import` reads. */
export function imageArchive({ names, layers, entrypoint, user, environment = [] }: Image): Buffer {
  const digests = layers.map(sha256);
  const config = Buffer.from(
    JSON.stringify({
      architecture: "amd64",
      os: "linux",
      config: {
        Entrypoint: entrypoint,
        Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", ...environment],
        User: user ?? "",
        WorkingDir: "/",
      },
      rootfs: { type: "layers", diff_ids: digests.map((digest) => `sha256:${digest}`) },
    }),
  );
  const manifest = [
    { Config: `${sha256(config)}.json`, RepoTags: names, Layers: digests.map((digest) => `${digest}/layer.tar`) },
  ];
  return tar([
    ...layers.map((data, index) => ({ path: `${digests[index]}/layer.tar`, data, mode: 0o644 })),
    { path: `${sha256(config)}.json`, data: config, mode: 0o644 },
    { path: "manifest.json", data: Buffer.from(JSON.stringify(manifest)), mode: 0o644 },
  ]);
}

function sha256(data: Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}
