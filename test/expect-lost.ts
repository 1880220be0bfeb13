import { expect } from "vitest";
import type { LoadReport } from "../rig/load/report";
import { loadText } from "../rig/load/text";

/** How much of a load may be lost. */
export type Losses = Partial<Pick<LoadReport, "lost" | "lostOfNewFlows" | "longestMs" | "windowMs">>;

/** Reports how much of the load was lost, of new or known flows, when, and what happened then. */
export function expectLostAtMost(report: LoadReport, limits: Losses, events = ""): void {
  for (const [what, limit] of Object.entries(limits) as [keyof Losses, number][])
    expect(report[what], `${what}: ${loadText(report)}${events && `; ${events}`}`).toBeLessThanOrEqual(limit);
}

export function expectNothingLost(report: LoadReport): void {
  expectLostAtMost(report, { lost: 0 });
}

/** Every query has this one answer. */
export function expectAllAnswered(report: LoadReport, answer: string): void {
  expectNothingLost(report);
  expect(report.answers).toEqual({ [answer]: report.sent });
}

/** Every query is answered, and most have this answer: who stands still for a tenth of a second is passed. */
export function expectMostAnswered(report: LoadReport, answer: string): void {
  expectNothingLost(report);
  expect(report.answers[answer]).toBeGreaterThan(report.sent / 2);
}
