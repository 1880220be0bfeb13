import { differences } from "../kubernetes/differences";

/** What one object shows about a cluster. */
export interface Finding {
  /** Its place in a cluster file. */
  readonly path: readonly string[];
  readonly value: unknown;
  /** Our default, which only a cluster file of a fleet with another one needs to say. */
  readonly isDefault?: true;
}

/** What a cluster's objects show. */
export interface Found {
  readonly findings: readonly Finding[];
  /** What they contain that a cluster file cannot express. */
  readonly unsaid: readonly string[];
}

export const nothing: Found = { findings: [], unsaid: [] };

export function found(path: string, value: unknown): Finding[] {
  return value === undefined ? [] : [{ path: path.split("."), value }];
}

/** A value that is written unless it is the default. */
export function unlessDefault(path: string, value: unknown, byDefault: unknown): Finding[] {
  const isDefault = differences(value, byDefault).length === 0;
  return found(path, value).map((finding) => (isDefault ? { ...finding, isDefault } : finding));
}

export function merged(all: readonly Found[]): Found {
  return { findings: all.flatMap(({ findings }) => findings), unsaid: all.flatMap(({ unsaid }) => unsaid) };
}
