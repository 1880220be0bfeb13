import { isAlert, type RuleGroup } from "../../../src/model/monitoring/rule";

/** How much shorter the tests' times are: five minutes become twenty seconds. */
const factor = 15;

/** Rules with every `for`, window and offset shortened, so that an alert fires while a test waits. Thresholds stay. */
export function shorterRules(groups: readonly RuleGroup[]): RuleGroup[] {
  return groups.map(({ name, rules }) => ({
    name,
    rules: rules.map((rule) => ({
      ...rule,
      expr: rule.expr.replace(
        /(\[|offset )(\d+[smhd])/g,
        (_all, before: string, time: string) => before + shorter(time),
      ),
      ...(isAlert(rule) && { for: shorter(rule.for) }),
    })),
  }));
}

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

function shorter(time: string): string {
  return `${Math.ceil((Number.parseInt(time, 10) * (seconds[time.slice(-1)] ?? 0)) / factor)}s`;
}
