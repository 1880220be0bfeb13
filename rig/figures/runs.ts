/** What `npm run figures` runs: the npm scripts that count losses or print ratios, with their arguments. */
export const runs: { readonly [name: string]: readonly [script: string, ...args: string[]] } = {
  losses: ["test:e2e", "--project", "losses"],
  "gitops-losses": ["test:e2e", "--project", "gitops-losses"],
  bench: ["bench"],
  failover: ["bench:failover"], // last, because it writes into docs: what follows would be from no commit
};

export function commandOf(name: string): string {
  const [script = "", ...args] = runs[name] ?? [];
  return ["npm", "run", script, ...(args.length > 0 ? ["--", ...args] : [])].join(" ");
}
