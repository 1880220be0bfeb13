import { expect, it } from "vitest";
import { titlesIn } from "./titles";

it("takes titles, and the tables that they are filled from, but neither imports nor what tests are about", () => {
  const source = `
import { conformance } from "./conformance";
const rows = [["a row", 1]] as const;
// it("is no test", ...)
describe.skipIf(process.env["NOT"] !== undefined)("the addresses", () => {
  it.each<[name: string, port: number]>(rows)("%s, which a title names", (name) => expect(name).toBe("asserted"));
  test.each([
    { what: "UDP (one port)", port: 53 }, // it's a comment
  ])(\`to $what\`, () => undefined);
  it(
    "is long",
    async () => load("loaded"),
  );
});
const it = "no call";
`;
  const titles = ["the addresses", "%s, which a title names", "a row", "to $what", "UDP (one port)", "is long"];
  expect(titlesIn(source)).toEqual(titles);
});
