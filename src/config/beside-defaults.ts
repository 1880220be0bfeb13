import { differences } from "../model/kubernetes/differences";
import { isMapping } from "../model/syntax/mapping";
import { formatPath } from "../model/syntax/problem";
import { show } from "../model/syntax/show";

/** A description, or a part of one. */
export type Part = { readonly [key: string]: unknown };

/**
 * What a cluster file says of a cluster beside a fleet's defaults file.
 *
 * @param all Everything that is known of the cluster.
 * @param own The part of it that is not our default.
 * @param shared What the defaults file says.
 */
export function besideDefaults(all: Part, own: Part, shared: Part): Part {
  const kept = Object.entries(all).flatMap(([key, value]): [string, unknown][] => {
    const [ofOwn, ofShared] = [valueOf(own, key), valueOf(shared, key)];
    // An empty one says something by being there.
    const isEmpty = isMapping(value) && Object.keys(value).length === 0;
    if (isMapping(value) && !isEmpty && (ofShared === undefined || isMapping(ofShared))) {
      const below = besideDefaults(value, isMapping(ofOwn) ? ofOwn : {}, ofShared ?? {});
      return Object.keys(below).length === 0 ? [] : [[key, below]];
    }
    const isWritten = ofShared === undefined ? ofOwn !== undefined : differences(value, ofShared).length > 0;
    return isWritten ? [[key, value]] : [];
  });
  return Object.fromEntries(kept);
}

/** What a cluster gets from the defaults file that is not known of it, `key: value`. */
export function inherited(all: Part, shared: Part, path: readonly string[] = []): string[] {
  return Object.entries(shared).flatMap(([key, value]) => {
    const known = valueOf(all, key);
    const here = [...path, key];
    if (known === undefined) return [`${formatPath(here)}: ${show(value)}`];
    return isMapping(known) && isMapping(value) ? inherited(known, value, here) : [];
  });
}

/** A key may be named as something that every object has. */
function valueOf(part: Part, key: string): unknown {
  return Object.hasOwn(part, key) ? part[key] : undefined;
}
