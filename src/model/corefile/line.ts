import type { Argument, Directive } from "./corefile";

/** A plugin or an option on one line: how it is shown and compared. */
export function lineOf({ name, args, options }: Directive): string {
  const inBraces = options.length > 0 ? [`{ ${options.map(lineOf).join("; ")} }`] : [];
  return [name, ...args.map(textOf), ...inBraces].join(" ");
}

/** An argument as text, in which a variable is `{$NAME}`. */
export function textOf(argument: Argument): string {
  if (typeof argument !== "object") return String(argument);
  return "variable" in argument ? `{$${argument.variable}}` : argument.map(textOf).join("");
}
