import { type AppliedObject, pathOf } from "../../../../rig/admission/path-of";
import type { LocalApiServer } from "../../../../rig/admission/local-api-server";

/** Applies them twice: the second time must change nothing. */
export async function applyTwice(api: LocalApiServer, objects: readonly AppliedObject[]): Promise<void> {
  for (const object of objects) {
    const first = await api.apply(pathOf(object), object);
    const second = await api.apply(pathOf(object), object);
    const [before, after] = [first, second].map(
      ({ metadata }) => (metadata as { resourceVersion: string }).resourceVersion,
    );
    if (before !== after) throw new Error(`a second apply changes ${object.kind} ${object.metadata.name}`);
  }
}
