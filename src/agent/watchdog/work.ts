/**
 * `switches`: turn to what is wanted. `link`, `rules`: compare and repair. `counts`: read, and renew the host's switch.
 * `others`: look for what drops our packets, and remove rules of other installations.
 */
export type Work = "switches" | "link" | "rules" | "counts" | "others";

/** What can be found missing or changed, and put right. */
export const repairKinds = ["link", "address", "rules", "switches", "others"] as const;
export type RepairKind = (typeof repairKinds)[number];
