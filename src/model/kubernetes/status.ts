import { isMapping } from "../syntax/mapping";

/** What the API server says in a Status; undefined if something in between answered. */
export function statusMessage(text: string): string | undefined {
  try {
    const status: unknown = JSON.parse(text);
    return isMapping(status) && typeof status["message"] === "string" ? status["message"] : undefined;
  } catch {
    return undefined;
  }
}
