import type { Shared } from "./link";

/** A file, and the fragment of the link that it began as, if any. */
export interface Held extends Shared {
  readonly fragment: string;
}

const item = "cluster-file";

/** Keeps a file in its tab of the browser, for a reload and the way back. */
export function hold(file: Held): void {
  try {
    sessionStorage.setItem(item, JSON.stringify(file));
  } catch {
    // The browser allows none, or has no room: the page begins anew then.
  }
}

/** The file that the tab held, unless the fragment is another link's. */
export function held(fragment: string): Held | undefined {
  try {
    const file = JSON.parse(sessionStorage.getItem(item) ?? "") as Held;
    return fragment === "" || fragment === file.fragment ? file : undefined;
  } catch {
    return undefined;
  }
}
