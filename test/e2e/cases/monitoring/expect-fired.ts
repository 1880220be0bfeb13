import { expect } from "vitest";
import type { Prometheus } from "../../../../rig/prometheus/prometheus";
import { until } from "../../../../rig/until";

/** Waits until each alert has fired; it may have stopped since. */
export async function expectFired(prometheus: Prometheus, names: readonly string[]): Promise<void> {
  const started = Date.now();
  const seen = new Map<string, number>();
  try {
    await until(names.join(), 120, async () => {
      for (const name of await firing(prometheus)) if (!seen.has(name)) seen.set(name, Date.now() - started);
      return names.every((name) => seen.has(name));
    });
  } catch (error) {
    throw new Error(`only ${[...seen.keys()].join()} fired`, { cause: error });
  }
  console.log(names.map((name) => `${name} after ${Math.round((seen.get(name) ?? 0) / 1000)} s`).join(", "));
}

/** The names of the alerts that fire, whose texts must be whole. */
export async function firing(prometheus: Prometheus): Promise<string[]> {
  const alerts = (await prometheus.alerts()).filter(({ state }) => state === "firing");
  for (const { annotations } of alerts)
    expect(Object.values(annotations).join()).not.toMatch(/<no value>|%!|<error expanding/);
  return namesOf(alerts);
}

/** The names of the alerts that fire, or will if nothing changes. */
export async function active(prometheus: Prometheus): Promise<string[]> {
  return namesOf(await prometheus.alerts());
}

function namesOf(alerts: Awaited<ReturnType<Prometheus["alerts"]>>): string[] {
  return [...new Set(alerts.map(({ labels }) => labels["alertname"] ?? ""))].toSorted();
}
