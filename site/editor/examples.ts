import type { Example } from "./mount";

const files = import.meta.glob<string>("../../clusters/*.yaml", { query: "?raw", import: "default", eager: true });

const all = Object.entries(files).map(([path, text]): Example => ({
  name: path.replace(/^.*\/(.*)\.yaml$/, "$1"),
  // Tells editors on one's machine where the schema is.
  text: text.replace(/^# yaml-language-server:.*\n/, ""),
}));

/** The files of `clusters/`, the shortest first. */
export const examples = all.sort((a, b) => a.text.length - b.text.length) as [Example, ...Example[]];
