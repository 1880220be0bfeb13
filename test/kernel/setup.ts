import { missingForKernelTests } from "../../rig/kernel/namespace";

/** Prints once why the tests in this folder are skipped, if they are. */
export default function setup(): void {
  const missing = missingForKernelTests();
  if (missing !== undefined) console.warn(`kernel tests are skipped: they need ${missing}`);
}
