/**
 * `switches`: turn them to what is wanted. `link`, `rules`: compare and repair. `counts`: read them. `others`: look for
 * rules that drop our packets, and remove rules of other installations.
 */
export type Work = "switches" | "link" | "rules" | "counts" | "others";

/** What may be found missing or changed, and then repaired. */
export const repairKinds = ["link", "address", "rules", "switches", "others"] as const;
export type RepairKind = (typeof repairKinds)[number];
