import { expect, it } from "vitest";
import { fromFragment, toFragment } from "../editor/link";

it.each([
  { what: "reads its own link", letter: "a", length: 1_000_000, isRead: true },
  { what: "makes no link", letter: "a", length: 1_100_000, isRead: false },
  { what: "of two bytes each, makes no link", letter: "ü", length: 600_000, isRead: false },
])("of $length letters $letter, $what", async ({ letter, length, isRead }) => {
  const shared = { name: "prod", text: letter.repeat(length) };
  const fragment = await toFragment(shared);
  expect(fragment && (await fromFragment(`#${fragment}`))).toEqual(isRead ? shared : undefined);
});
