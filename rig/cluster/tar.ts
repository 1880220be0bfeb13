/** An entry of a tar archive. */
export interface TarEntry {
  readonly path: string;
  /** A folder if there is neither data nor target. */
  readonly data?: Buffer;
  /** The target of a symbolic link. */
  readonly target?: string;
  /** Default: 0755. */
  readonly mode?: number;
  /** Extended attributes, stored as PAX records as in container images. */
  readonly attributes?: Readonly<Record<string, Buffer>>;
}

const blockSize = 512;

/** An archive in POSIX pax format. Times and owners are zero, so that the same content gives the same bytes. */
export function tar(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocks), Buffer.alloc(2 * blockSize)]);
}

function blocks(entry: TarEntry): Buffer[] {
  const { path, data, target, mode = 0o755, attributes = {} } = entry;
  const type = data !== undefined ? "0" : target !== undefined ? "2" : "5";
  const records = Object.entries(attributes).map(([name, value]) => paxRecord(`SCHILY.xattr.${name}`, value));
  if (Buffer.byteLength(path) > 100) records.push(paxRecord("path", Buffer.from(path)));
  const extended =
    records.length === 0
      ? []
      : withData(header("pax", "x", 0o644, Buffer.concat(records).length), Buffer.concat(records));
  return [
    ...extended,
    ...withData(header(path.slice(0, 100), type, mode, data?.length ?? 0, target), data ?? Buffer.alloc(0)),
  ];
}

function withData(head: Buffer, data: Buffer): Buffer[] {
  return [head, data, Buffer.alloc((blockSize - (data.length % blockSize)) % blockSize)];
}

/** "LENGTH KEY=VALUE\n", where LENGTH includes itself. */
function paxRecord(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from("\n")]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function header(path: string, type: string, mode: number, size: number, target = ""): Buffer {
  const block = Buffer.alloc(blockSize);
  block.write(path, 0);
  block.write(octal(mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(0, 11), 136);
  block.write(" ".repeat(8), 148);
  block.write(type, 156);
  block.write(target, 157);
  block.write("ustar\u000000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\u0000 `, 148);
  return block;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}
