import type { CorefileText } from "./values";

/**
 * Corefile text for what has no key. It is read, checked, merged into the Corefile and printed; a mistake is reported at its
 * line.
 */
export interface CorefileAdditions {
  /**
   * Plugins for the server block of the cluster's names.
   * @default - none
   */
  readonly clusterNames?: CorefileText;

  /**
   * Plugins for the server blocks of all other names, stub domains included.
   * @default - none
   */
  readonly otherNames?: CorefileText;

  /**
   * Server blocks for zones of their own. They listen where ours do, and get `errors`, `bufsize` and `prometheus` as ours.
   * @default - none
   */
  readonly blocks?: CorefileText;

  /**
   * Plugins that an image of your own has, and CoreDNS does not. Nothing is known of them: any argument and option is
   * accepted, and they may answer any name.
   * @default []
   */
  readonly plugins?: readonly string[];
}
