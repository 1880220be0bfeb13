import type { Container } from "../kubernetes/kinds";
import type { KubernetesObject } from "../kubernetes/object";
import { podTemplate } from "../kubernetes/pods";

/** The file that CoreDNS reads, and where it comes from, unless that is no ConfigMap. */
export interface MountedCorefile {
  readonly path: string;
  readonly from?: { readonly configMap: string; readonly key: string };
}

/** The Corefile of a workload's pods; undefined if they have no CoreDNS, as those of kube-dns. */
export function mountedCorefile(workload: Pick<KubernetesObject, "spec">): MountedCorefile | undefined {
  const { containers = [], volumes = [] } = podTemplate(workload).spec;
  const coredns = containers.find(isCoreDNS);
  if (!coredns) return undefined;
  const path = corefilePath(coredns);
  const folder = path.replace(/\/[^/]*$/, "");
  const [mount] = volumes
    .flatMap((volume) => {
      // A container without mounts is abridged, for CoreDNS does not start without a file.
      const mounts = coredns.volumeMounts?.filter(({ name }) => name === volume.name) ?? [{ mountPath: folder }];
      return mounts
        .flatMap((each) => fileIn(each, path) ?? [])
        .map((file) => ({ ...file, configMap: volume.configMap }));
    })
    .toSorted((a, b) => b.folder.length - a.folder.length);
  const { name, items } = mount?.configMap ?? {};
  const key = items ? items.find((item) => item.path === mount?.file)?.key : mount?.file;
  return { path, ...(name !== undefined && key && { from: { configMap: name, key } }) };
}

/** A file of a container as a file of the volume that is mounted at its folder, or at itself. */
function fileIn({ mountPath, subPath }: { mountPath: string; subPath?: string }, path: string) {
  const folder = mountPath.replace(/\/$/, "");
  if (path !== folder && !path.startsWith(`${folder}/`)) return undefined;
  return { folder, file: [subPath, path.slice(folder.length + 1)].filter(Boolean).join("/") };
}

function isCoreDNS({ name, image = "", command = [], args = [] }: Container): boolean {
  return [name, image, ...command].some((text) => text.includes("coredns")) || args.some(isFlag);
}

function isFlag(word: string): boolean {
  return /^--?conf(=|$)/.test(word);
}

/** CoreDNS's own is `Corefile` in its working directory, which is `/` in its image. */
function corefilePath({ command = [], args = [], workingDir = "/" }: Container): string {
  const words = [...command, ...args];
  const at = words.findLastIndex(isFlag);
  const said = words[at]?.includes("=") ? words[at].replace(/^[^=]*=/, "") : words[at + 1];
  const file = at >= 0 && said !== undefined ? said : "Corefile";
  return file.startsWith("/") ? file : `${workingDir.replace(/\/$/, "")}/${file}`;
}
