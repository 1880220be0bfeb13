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
    const { rcodes, found } = await askFor(each, resolver, asked);
    if (found) return found;
    const [first = ""] = rcodes;
    // musl ends with whatever is not NXDOMAIN for the first type (name_from_dns_search). glibc goes on, whatever it is
    // (__res_context_search).
    if (library === "musl" && first !== "NXDOMAIN") return { status: first, ...nothing };
    for (const rcode of rcodes) failed.add(rcode);
  }
  return { status: ["NOERROR", "SERVFAIL"].find((each) => failed.has(each)) ?? "NXDOMAIN", ...nothing };
}

const nothing = { data: [], canonical: undefined };

/** Asks for all types at once. */
async function askFor(
  name: string,
  { types, port, tcp }: Resolver,
  asked: string[],
): Promise<{ readonly rcodes: readonly string[]; readonly found: Found | undefined }> {
  const replies = await Promise.all(
    types.map((type) => {
      asked.push(`${type} ${name}`);
      return ask({ name, type, port, tcp, from: podAddress });
    }),
  );
  const records = replies.flatMap(({ answers }) => answers).filter(({ type }) => type !== "CNAME");
  const data = records.map((each) => ("data" in each ? String(each.data) : "")).sort();
  const canonical = records[0]?.name.toLowerCase();
  return {
    rcodes: replies.map(({ rcode }) => rcode),
    found: records.length > 0 ? { status: "NOERROR", data, canonical } : undefined,
  };
}

/** Not the address from which a server on this machine asks itself. */
export const podAddress = "127.0.0.2";
