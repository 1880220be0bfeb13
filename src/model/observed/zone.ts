import { canonicalName } from "../syntax/names";

/** The zone of `dns://corp.example.:53`. */
export function zoneOf(key: string): string {
  const zone = key.replace(/^\w+:\/\//, "").replace(/:\d+$/, "");
  return zone === "." ? zone : canonicalName(zone);
}
