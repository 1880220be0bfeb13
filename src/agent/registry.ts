import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Metrics whose names start with `prefix`, without prom-client's default ones, as Prometheus reads them. */
export function createRegistry<Name extends string = string>(prefix: string) {
  const registry = new Registry();
  const common = (name: Name, help: string, labelNames: string[]) => ({
    name: `${prefix}_${name}`,
    help,
    labelNames,
    registers: [registry],
  });
  return {
    counter: (name: Name, help: string, labelNames: string[] = []) => new Counter(common(name, help, labelNames)),
    gauge: (name: Name, help: string, labelNames: string[] = []) => new Gauge(common(name, help, labelNames)),
    histogram: (name: Name, help: string, labelNames: string[], buckets: number[]) =>
      new Histogram({ ...common(name, help, labelNames), buckets }),
    text: () => registry.metrics(),
  };
}
