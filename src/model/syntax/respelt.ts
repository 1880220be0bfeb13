import { show } from "./show";

/** What others write more of, or otherwise. */
const spellings: readonly ((text: string) => string)[] = [
  (text) => text.trim().toLowerCase(),
  (text) => text.replace(/^\w+:\/\/|[/.]$/g, ""),
  (text) => text.replace(/\.svc\..*$/, ".svc"),
  (text) => text.replace(/\/(32|128)$/, ""),
  (text) => text.replace(/^([\w.-]+@[\w.-]+):/, "ssh://$1/"),
  (text) => `${text}.`,
  (text) => text.replace(/^(?!\w+:\/)/, "https://"),
];

/** `; write "cluster.local"` if another spelling of a text is right, else an empty string. */
export function respelt(text: string, isRight: (text: string) => boolean): string {
  const right = spellings.map((spell) => spell(text)).find((each) => each !== text && isRight(each));
  return right === undefined ? "" : `; write ${show(right)}`;
}
