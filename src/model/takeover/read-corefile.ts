import type { WrittenBlock, WrittenCorefile, WrittenDirective } from "../corefile/corefile";
import { parseCorefile } from "../corefile/parse";
import { regexOf } from "../corefile/regex";
import { zoneText } from "./plugin-facts";
import { isUnknown, type MountedFiles } from "./mounted-files";

/** The API server's limit for a ConfigMap (pkg/apis/core/validation, MaxSecretSize). */
export const largestConfigMap = 1024 * 1024;

/**
 * Reads a Corefile with the files of its container that it imports. One that matches no file does nothing, in CoreDNS
 * too.
 * @param path Where the container has it.
 * @param inlinesFiles Whether the files of `hosts` and `file` are read as if they stood in the Corefile.
 * @throws Error if it is no Corefile, or is larger than a ConfigMap may be.
 */
export function readCorefile(
  text: string,
  path: string,
  mounted: MountedFiles,
  inlinesFiles: boolean,
): WrittenCorefile {
  const folder = path.replace(/\/[^/]*$/, "");
  const files = [...mounted.files];
  const inFolder = (name: string) => plainPath(name.startsWith("/") ? name : `${folder}/${name}`);
  const parsed = parseCorefile(bounded(text), (pattern) => {
    const full = inFolder(pattern);
    if (/\*.*\*|\?.*\?|\[.*\]/s.test(full)) throw new Error(`import ${pattern} has more wildcards than CoreDNS takes`);
    const expression = new RegExp(`^${regexOf(full).replace("\\*", "[^/]*").replace("\\?", "[^/]")}$`);
    const found = files.filter(([file]) => expression.test(file));
    const isGlob = /[*?[\]]/.test(full);
    return isUnknown(mounted, full) || (found.length === 0 && !isGlob)
      ? undefined
      : found.map(([, file]) => bounded(file.text));
  });
  if (parsed.length === 0) throw new Error("it has no server block");
  const corefile = withImportsInside(parsed).map(inCurrentWords);
  if (!inlinesFiles) return corefile;
  return corefile.map((block) => ({
    ...block,
    plugins: block.plugins.map((each) => withText(each, mounted.files.get(inFolder(each.args[0] ?? ""))?.text)),
  }));
}

/** Without `.` and `..`, which the paths of mounted files do not have. */
function plainPath(path: string): string {
  const steps: string[] = [];
  for (const step of path.split("/"))
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  return `/${steps.join("/")}`;
}

/** An import beside the blocks whose files are not known may answer any name, as one in the block of all names may. */
function withImportsInside(corefile: WrittenCorefile): WrittenCorefile {
  const imports = corefile.filter(({ keys }) => keys.length === 0).flatMap(({ plugins }) => plugins);
  const blocks = corefile.filter(({ keys }) => keys.length > 0);
  const ofAll = blocks.find(({ keys }) => keys.some(({ zone }) => zone === ".")) ?? blocks[0];
  return blocks.map((block) => (block === ofAll ? { ...block, plugins: [...block.plugins, ...imports] } : block));
}

/** A block as CoreDNS writes it now: what once was said otherwise, and what says nothing. */
function inCurrentWords(block: WrittenBlock): WrittenBlock {
  const lastRule = block.plugins.findLast(({ name }) => name === "rewrite");
  const plugins = block.plugins.map((each) => {
    // Behind the last rule there is none to continue with.
    if (each === lastRule && each.args[0] === "continue") return { ...each, args: ["stop", ...each.args.slice(1)] };
    // Deprecation notice of CoreDNS 1.5.
    if (each.name === "proxy") return { ...each, name: "forward" };
    // Until CoreDNS 1.6, `upstream` said who resolves CNAMEs, and `resyncperiod` how often to list; since then nothing.
    return each.name === "kubernetes" || each.name === "file"
      ? { ...each, options: each.options.filter(({ name }) => name !== "upstream" && name !== "resyncperiod") }
      : each;
  });
  return { ...block, plugins };
}

function bounded(text: string): string {
  if (text.length <= largestConfigMap) return text;
  throw new Error(`has ${text.length} characters; a ConfigMap has at most ${largestConfigMap}`);
}

/** `hosts FILE` with the lines of its file as entries, and `file FILE` with its text. */
function withText(directive: WrittenDirective, text: string | undefined): WrittenDirective {
  if (text === undefined) return directive;
  if (directive.name === "file")
    return { ...directive, options: [{ name: zoneText, args: [text], options: [] }, ...directive.options] };
  if (directive.name !== "hosts") return directive;
  const entries = text.split("\n").flatMap((line): WrittenDirective[] => {
    const [name = "", ...args] = line.replace(/#.*/, "").split(/\s+/).filter(Boolean);
    return args.length > 0 ? [{ name, args, options: [] }] : [];
  });
  const [, ...zones] = directive.args;
  return { ...directive, args: ["/dev/null", ...zones], options: [...entries, ...directive.options] };
}
