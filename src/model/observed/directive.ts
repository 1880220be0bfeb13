import type { WrittenDirective } from "../corefile/corefile";

/** A plugin or an option on one line. */
export function written({ name, args, options }: WrittenDirective): string {
  return [name, ...args, ...(options.length > 0 ? [`{ ${options.map(written).join("; ")} }`] : [])].join(" ");
}

export function wholeNumber(text: string | undefined): number | undefined {
  return /^\d+$/.test(text ?? "") ? Number(text) : undefined;
}
