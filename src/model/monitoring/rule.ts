export type Rule = Alert | Recording;

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: Severity; readonly [label: string]: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url?: string };
}

export interface Recording {
  readonly record: string;
  readonly expr: string;
}

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly Rule[];
}

/** `critical`: pods get no answers, wake somebody; `warning`: they still do, look at it in working hours. */
export type Severity = "critical" | "warning";

/** An alert, in the order in which one reads it. @param wait How long it must last. */
export function alert(
  name: string,
  severity: Severity,
  { expr, wait = "5m", ...annotations }: { expr: string; wait?: string; summary: string; description: string },
): Alert {
  return { alert: name, expr, for: wait, labels: { severity }, annotations };
}

export function isAlert(rule: Rule): rule is Alert {
  return "alert" in rule;
}

/** Says of a program on nodes that `up` is 0 on one of them, or that there is no `up` at all. */
export function unreached(program: string): string {
  return `{{ with $labels.node }}The ${program} of {{ . }} has{{ else }}All ${program}s have{{ end }} been out of Prometheus' reach for 5 minutes.`;
}
