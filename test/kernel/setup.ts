import { missingForKernelTests } from "../../rig/kernel/namespace";

/** Says once why the tests of this folder are skipped, where they are. */
export default function setup(): void {
  const missing = missingForKernelTests();
  if (missing !== undefined) console.warn(`kernel tests are skipped: they need ${missing}`);
}
