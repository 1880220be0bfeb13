import type { WrittenCorefile, WrittenDirective } from "../../../src/model/corefile/corefile";
import { parseCorefile } from "../../../src/model/corefile/parse";

/** A Corefile as CoreDNS reads it with these environment variables, which it fills in once words are split. */
export function readCorefile(text: string, environment: { readonly [name: string]: string } = {}): WrittenCorefile {
  const filled = (word: string) =>
    word.replaceAll(
      /\{%(.+?)%\}|\{\$(.+?)\}/g,
      (_, ...names: string[]) => environment[names[0] ?? names[1] ?? ""] ?? "",
    );
  const read = ({ name, args, options }: WrittenDirective): WrittenDirective => {
    if (name === "import") throw new Error("import reads another file");
    return { name: filled(name), args: args.map(filled), options: options.map(read) };
  };
  return parseCorefile(text).map(({ keys, plugins }) => ({ keys, plugins: plugins.map(read) }));
}
