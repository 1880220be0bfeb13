import { ask } from "./ask";

/** What a pod's resolv.conf says, and what its C library asks. */
export interface Resolver {
  readonly library: "glibc" | "musl";
  readonly searches: readonly string[];
  readonly ndots: number;
  readonly port: number;
  readonly types: readonly ("A" | "AAAA" | "TXT")[];
  readonly tcp: boolean;
}

/** What a program gets. */
export interface Found {
  readonly status: string;
  /** Addresses or texts, sorted. */
  readonly data: readonly string[];
  /** The name that has them, as `AI_CANONNAME` says. */
  readonly canonical: string | undefined;
}

/** Looks a name up as a C library does, with the search path. @param asked Gets each question. */
export async function lookUp(name: string, resolver: Resolver, asked: string[]): Promise<Found> {
  const { library, searches, ndots } = resolver;
  const isFull = name.split(".").length - 1 >= ndots;
  const listed = searches.map((each) => `${name}.${each}`);
  const names = isFull ? [name, ...(library === "glibc" ? listed : [])] : [...listed, name];
  const failed = new Set<string>();
  for (const each of names) {
    const found = await askFor(each, resolver, asked);
    if (found.data.length > 0) return found;
    // musl ends with whatever is not NXDOMAIN (name_from_dns_search). glibc goes on (__res_context_search).
    if (library === "musl" && found.status !== "NXDOMAIN") return found;
    failed.add(found.status);
  }
  return { status: ["NOERROR", "SERVFAIL"].find((each) => failed.has(each)) ?? "NXDOMAIN", ...nothing };
}

const nothing = { data: [], canonical: undefined };

/** Asks for all types at once. */
async function askFor(name: string, { types, port, tcp }: Resolver, asked: string[]): Promise<Found> {
  const replies = await Promise.all(
    types.map((type) => {
      asked.push(`${type} ${name}`);
      return ask({ name, type, port, tcp, from: podAddress });
    }),
  );
  const records = replies.flatMap(({ answers }) => answers).filter(({ type }) => type !== "CNAME");
  return {
    status: replies.find(({ rcode }) => rcode !== "NXDOMAIN")?.rcode ?? "NXDOMAIN",
    data: records.map((each) => ("data" in each ? String(each.data) : "")).sort(),
    canonical: records[0]?.name.toLowerCase(),
  };
}

/** Not the address from which a server on this machine asks itself. */
export const podAddress = "127.0.0.2";
