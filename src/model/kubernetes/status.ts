import { parseJSON } from "../syntax/json";
import { isMapping } from "../syntax/mapping";

/** What the API server says in a Status; undefined if something in between answered. */
export function statusMessage(text: string): string | undefined {
  const status = parseJSON(text);
  return isMapping(status) && typeof status["message"] === "string" ? status["message"] : undefined;
}
