import type { Step } from "./step";

/** How a warning says that running pods must leave an address before nobody answers there. */
const first = /\bfirst have kubelets name /;

/** When kubelets are reconfigured: as the warnings say, otherwise once the addresses that they shall name answer. */
export function whenKubelets(warnings: readonly string[]): Step["when"] {
  return warnings.some((warning) => first.test(warning)) ? "before" : "after";
}
