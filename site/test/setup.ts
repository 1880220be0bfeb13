import { execFileSync } from "node:child_process";
import { root } from "./site";

/** The tests look at what `npm run site` builds now. */
export default function setup(): void {
  execFileSync("npm", ["run", "site"], { cwd: root, stdio: "inherit" });
}
