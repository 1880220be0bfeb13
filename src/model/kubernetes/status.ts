import { parseJSON } from "../syntax/json";
import { isText } from "./shapes";

/** What a Status of the API server says, and which object it says is not there. Empty if something in between answered. */
export function readStatus(text: string): { readonly message?: string; readonly missing?: string } {
  const { message, reason, details } = Object(parseJSON(text)) as { readonly [field: string]: unknown };
  const { name } = Object(reason === "NotFound" && details) as { readonly name?: unknown };
  return { ...(isText(message) && { message }), ...(isText(name) && { missing: name }) };
}
