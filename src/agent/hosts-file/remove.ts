import { removeOwnLines } from "../../model/node-resolver/hosts-lines";
import { replaceHostsFile, type ReplaceOptions } from "./replace";

/** Takes our lines out of a hosts file, and leaves every other byte. */
export function removeLines(options: ReplaceOptions): Promise<"replaced" | "unchanged"> {
  return replaceHostsFile(options, removeOwnLines);
}
