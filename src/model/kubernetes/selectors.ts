import type { LabelSelector } from "./kinds";
import type { Metadata } from "./object";

/** Whether labels have every label of a Service's selector; an empty selector has no pods. */
export function selects(
  selector: { readonly [label: string]: string } = {},
  { labels = {} }: Pick<Metadata, "labels">,
): boolean {
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

/** `k8s-app=kube-dns`, as kubectl takes it. */
export function selectorText(selector: { readonly [label: string]: string } = {}): string {
  return Object.entries(selector)
    .map((pair) => pair.join("="))
    .join(",");
}

/** Whether a policy's or a budget's selector has what has these labels: an empty one has all. */
export function matches(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  { labels = {} }: Pick<Metadata, "labels">,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const isIn = operator.endsWith("In") ? values.includes(labels[key] ?? "") : labels[key] !== undefined;
      return isIn === (operator === "In" || operator === "Exists");
    })
  );
}
