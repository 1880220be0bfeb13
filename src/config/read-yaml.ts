import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { parseYaml, type YamlFile } from "./parse-yaml";
import { reason } from "./reason";

/** Room for thousands of tenants, as in a ConfigMap; a hostile file is still refused within seconds. */
const maxBytes = 1024 * 1024;

/** Reads a YAML file; if that fails, the result has a problem and no value. */
export function readYaml(file: string): YamlFile {
  try {
    // Reading a pipe or a device could block forever.
    if (!statSync(file).isFile()) return unreadable(file, "is not a file");
    return decodeYaml(file, readFileSync(file));
  } catch (error) {
    return unreadable(file, `cannot be read (${reason(error)})`);
  }
}

/** Decodes the bytes of a YAML file; `file` is its name for messages. */
export function decodeYaml(file: string, bytes: Uint8Array): YamlFile {
  if (bytes.length > maxBytes)
    return unreadable(file, `has ${bytes.length} bytes; a cluster file may have at most ${maxBytes}`);
  if (!isUtf8(bytes)) return unreadable(file, "is not valid UTF-8; save it as UTF-8");
  return parseYaml(file, new TextDecoder().decode(bytes));
}

function unreadable(file: string, message: string): YamlFile {
  return { ...parseYaml(file, ""), isEmpty: false, problems: [{ file, message }] };
}
