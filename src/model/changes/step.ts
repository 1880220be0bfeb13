/** What somebody must do that applying the objects does not, and whether before the commit or after it. */
export interface Step {
  readonly when: "before" | "after";
  readonly what: string;
}
