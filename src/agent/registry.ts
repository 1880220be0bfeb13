import { Counter, Gauge, Histogram, Registry } from "prom-client";

/**
 * Creates metrics whose names start with `prefix`, and renders them for Prometheus. Excludes prom-client's default
 * metrics.
 */
export function createRegistry(prefix: string) {
  const registry = new Registry();
  const common = (name: string, help: string, labelNames: string[]) => ({
    name: `${prefix}_${name}`,
    help,
    labelNames,
    registers: [registry],
  });
  return {
    counter: (name: string, help: string, labelNames: string[] = []) => new Counter(common(name, help, labelNames)),
    gauge: (name: string, help: string, labelNames: string[] = []) => new Gauge(common(name, help, labelNames)),
    histogram: (name: string, help: string, labelNames: string[], buckets: number[]) =>
      new Histogram({ ...common(name, help, labelNames), buckets }),
    text: () => registry.metrics(),
  };
}
