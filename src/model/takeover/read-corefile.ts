import type { WrittenCorefile, WrittenDirective } from "../corefile/corefile";
import { parseCorefile } from "../corefile/parse";
import { isUnknown, type MountedFiles } from "./mounted-files";

/** The API server's limit for a ConfigMap (pkg/apis/core/validation, MaxSecretSize). */
const largest = 1024 * 1024;

/**
 * Reads a Corefile with the files of its container that it imports. One that matches no file does nothing, in CoreDNS
 * too.
 * @param path Where the container has it.
 * @param inlinesHosts Whether the entries of a file of `hosts` are read as if they stood in the Corefile.
 * @throws Error if it is no Corefile, or is larger than a ConfigMap may be.
 */
export function readCorefile(
  text: string,
  path: string,
  mounted: MountedFiles,
  inlinesHosts: boolean,
): WrittenCorefile {
  const folder = path.replace(/\/[^/]*$/, "");
  const files = [...mounted.files];
  const corefile = parseCorefile(bounded(text), (pattern) => {
    const full = pattern.startsWith("/") ? pattern : `${folder}/${pattern}`;
    if (isUnknown(mounted, full)) return undefined;
    const expression = new RegExp(`^${full.split("*").map(escaped).join("[^/]*")}$`);
    return files.filter(([file]) => expression.test(file)).map(([, file]) => bounded(file.text));
  });
  if (!inlinesHosts) return corefile;
  return corefile.map((block) => ({
    ...block,
    plugins: block.plugins.map((each) => withEntries(each, mounted.files.get(each.args[0] ?? "")?.text)),
  }));
}

function bounded(text: string): string {
  if (text.length <= largest) return text;
  throw new Error(`has ${text.length} characters; a ConfigMap has at most ${largest}`);
}

/** `hosts FILE` with the lines of its file as entries. */
function withEntries(directive: WrittenDirective, text: string | undefined): WrittenDirective {
  if (directive.name !== "hosts" || text === undefined) return directive;
  const entries = text.split("\n").flatMap((line): WrittenDirective[] => {
    const [name = "", ...args] = line.replace(/#.*/, "").split(/\s+/).filter(Boolean);
    return args.length > 0 ? [{ name, args, options: [] }] : [];
  });
  const [, ...zones] = directive.args;
  return { ...directive, args: ["/dev/null", ...zones], options: [...entries, ...directive.options] };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.+?()[\]{}|]/g, "\\$&");
}
