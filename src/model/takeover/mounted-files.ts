import type { Container, PodSpec } from "../kubernetes/kinds";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { sourcesOf } from "../kubernetes/pods";

interface MountedFile {
  readonly text: string;
  readonly source: string;
}

export interface MountedFiles {
  readonly files: ReadonlyMap<string, MountedFile>;
  /** Folders and files whose contents are not known: of another kind of volume, or of a ConfigMap that is not there. */
  readonly unknown: readonly string[];
}

/** @param folder Where a container without mounts has all of its volumes: such a one is abridged. */
export function mountedFiles(
  { volumes = [] }: PodSpec,
  { volumeMounts }: Container,
  folder: string,
  configMaps: readonly KubernetesObject[],
): MountedFiles {
  const mounts: NonNullable<Container["volumeMounts"]> =
    volumeMounts ?? volumes.map(({ name = "" }) => ({ name, mountPath: folder }));
  const all = mounts.map(({ name, mountPath, subPath }) => {
    const path = mountPath.replace(/\/$/, "");
    const sources = sourcesOf(volumes.find((volume) => volume.name === name) ?? {}).map((configMap) => {
      const source = configMaps.find(({ metadata }) => metadata.name === configMap?.name);
      if (!configMap || (!source && configMap.optional !== true)) return { files: [], isKnown: false };
      const data = new Map(Object.entries(source?.data ?? {}));
      const items = configMap.items ?? [...data.keys()].map((key) => ({ key, path: key }));
      const files = items
        .filter((item) => subPath === undefined || item.path === subPath)
        .flatMap((item): [string, MountedFile][] => {
          const text = data.get(item.key);
          if (text === undefined || !source) return [];
          return [[subPath === undefined ? `${path}/${item.path}` : path, { text, source: identity(source) }]];
        });
      return { files, isKnown: true };
    });
    return { path, files: sources.flatMap(({ files }) => files), isKnown: sources.every(({ isKnown }) => isKnown) };
  });
  return {
    // A mount below another hides what that has there.
    files: new Map(all.toSorted((a, b) => a.path.length - b.path.length).flatMap(({ files }) => files)),
    unknown: all.filter(({ isKnown }) => !isKnown).map(({ path }) => path),
  };
}

export function isUnknown({ unknown }: MountedFiles, path: string): boolean {
  return unknown.some((each) => path === each || path.startsWith(`${each}/`));
}
