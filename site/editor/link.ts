/** What a link carries. */
export interface Shared {
  readonly name: string;
  readonly text: string;
}

/** Of the JSON: a short link may stand for gigabytes. */
const maxBytes = 1024 * 1024;

/**
 * A cluster file as the fragment of a link, which browsers send to nobody: JSON, deflated, in base64url.
 *
 * @returns Undefined if the file is too large for one.
 */
export async function toFragment(shared: Shared): Promise<string | undefined> {
  const json = new Blob([JSON.stringify(shared)]);
  if (json.size > maxBytes) return undefined;
  const stream = json.stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Undefined if it is no link of ours. */
export async function fromFragment(fragment: string): Promise<Shared | undefined> {
  try {
    const binary = atob(fragment.replace(/^#/, "").replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const { name, text } = JSON.parse(await readAtMost(stream, maxBytes)) as Shared;
    return typeof name === "string" && typeof text === "string" ? { name, text } : undefined;
  } catch {
    return undefined;
  }
}

async function readAtMost(stream: ReadableStream<Uint8Array<ArrayBuffer>>, bytes: number): Promise<string> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(chunks).text();
    length += value.length;
    if (length > bytes) throw new Error(`more than ${bytes} bytes`);
    chunks.push(value);
  }
}
