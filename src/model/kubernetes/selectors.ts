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

/** Whether a policy's selector may have pods with these labels: an empty one has all, and expressions are not looked at. */
export function selectsPods(
  { matchLabels = {} }: LabelSelector = {},
  labels: { readonly [label: string]: string },
): boolean {
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
}
