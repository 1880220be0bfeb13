import type { WrittenDirective } from "../corefile/corefile";
import { parseServer } from "../syntax/addresses";
import { written } from "./directive";
import { found, type Found } from "./finding";

/** `hosts [FILE [ZONES...]]`, with entries of its own or of the file. */
export function fromHosts({ args: [file, ...zones], options }: WrittenDirective): Found {
  const entries = options.filter(({ name }) => parseServer(name) !== undefined);
  const isOfFile = file !== undefined && file !== "/dev/null";
  // Of a file, which is listed itself.
  const ofFile = ["ttl", "no_reverse"];
  const known = new Set(["reload", ...(entries.length === 0 ? ofFile : [])]);
  const others = options.filter(
    (each) => !entries.includes(each) && !known.has(each.name) && written(each) !== "fallthrough",
  );
  const isFinal = !options.some(({ name }) => name === "fallthrough");
  return {
    findings:
      entries.length > 0
        ? found(
            "hostAliases",
            entries.map(({ name, args }) => ({ ip: name, hostnames: args })),
          )
        : [],
    unsaid: [
      ...(isOfFile ? [`hosts of file ${[file, ...zones].join(" ")}`] : []),
      ...(!isOfFile && zones.length > 0 ? [`hosts: only for ${zones.join(" ")}; ours: for all names`] : []),
      ...(isFinal ? ["hosts: no fallthrough, so other names fail; ours: fallthrough"] : []),
      ...others.map((each) => `hosts: ${written(each)}${each.name === "fallthrough" ? "; ours: fallthrough" : ""}`),
    ],
  };
}
