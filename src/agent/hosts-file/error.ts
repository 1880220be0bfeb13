import { errorCode } from "../errors";

/** Why a hosts file was not replaced, as a metric label. */
type FailureReason =
  | "missing"
  | "outside"
  | "not-a-file"
  | "mounted"
  | "read-only"
  | "not-permitted"
  | "full"
  | "changing"
  | "label"
  | "other";

export class HostsFileError extends Error {
  constructor(
    readonly reason: FailureReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A file-system error, explained for the hosts file, with what to do about it. */
export function explain(file: string, error: unknown): HostsFileError {
  if (error instanceof HostsFileError) return error;
  const code = errorCode(error) ?? "";
  const [reason, what] = explanations[code] ?? (["other", String(error)] as const);
  return new HostsFileError(reason, `${file}: ${what}${code ? ` (${code})` : ""}`, { cause: error });
}

const ownedByTheSystem =
  "an operating system that owns the file takes entries through its own settings (Talos: StaticHostConfig, Bottlerocket: settings.network.hosts)";

const explanations: { readonly [code: string]: readonly [FailureReason, string] } = {
  ENOENT: ["missing", "does not exist, or its folder is not mounted; nothing was created"],
  EBUSY: [
    "mounted",
    `is a mount of its own, which cannot be replaced; mount its folder, not the file; ${ownedByTheSystem}`,
  ],
  EROFS: ["read-only", `its folder is read-only; ${ownedByTheSystem}`],
  EACCES: [
    "not-permitted",
    "we may not write to its folder; on a host with SELinux set nodeResolver.seLinuxOptions: {type: spc_t}",
  ],
  EPERM: ["not-permitted", "is immutable, or its owner cannot be kept; check lsattr and its owner"],
  ENOSPC: ["full", "no space left in its folder"],
  EDQUOT: ["full", "no space left in its folder"],
  ELOOP: ["outside", "is a circular link"],
};
