import { defaults } from "../defaults";
import type { FullGitOps } from "../full-props/fill-in";
import type { Problem } from "../syntax/problem";
import { respelt } from "../syntax/respelt";
import { show } from "../syntax/show";
import { about, type Given } from "./report";

export function gitOpsRules({ said: { gitops } }: Given): Problem[] {
  if (!gitops) return [];
  const { argocd, flux } = gitops;
  return [
    // Each may be in another file.
    ...(argocd && flux
      ? ["argocd", "flux"].flatMap((key) =>
          about(["gitops", key]).say("is set, as is the other controller: they would undo each other's work; keep one"),
        )
      : []),
    ...about(["gitops", "argocd", "repoURL"]).say(
      argocd?.repoURL === undefined ? undefined : repositoryFault(argocd.repoURL),
    ),
    ...(flux ? sourceProblems(flux.source) : []),
  ];
}

// A repository that Argo CD reads.
const repository = /^(?:(?:https?|ssh|git|file|oci):\/\/[^\s/*][^\s*]*|[\w.-]+@[\w.-]+:[^\s*]+|file:\/\/\/\S+)$/;

// A user alone may be a token; that of SSH is none.
const credentials = /^(?!ssh:)\w+:\/\/[^/]*@|^ssh:\/\/[^/]*:[^/]*@/i;

/** Does not repeat them: messages reach logs, too. */
function credentialFault(url: string, instead: string): string | undefined {
  return credentials.test(url)
    ? `holds a user or a password, which would be written to a file; leave it out, ${instead}`
    : undefined;
}

function repositoryFault(url: string): string | undefined {
  const fault = credentialFault(url, "and give it to Argo CD in the repository's Secret");
  if (fault !== undefined || repository.test(url)) return fault;
  return `${show(url)} is not a repository; accepted: https://HOST/PATH or ssh://USER@HOST/PATH`;
}

function sourceURLFault(kind: string, url: string): string | undefined {
  const fault = credentialFault(url, "and name a Secret that holds it in secretRef");
  const scheme = kind === "OCIRepository" ? /^oci:\/\/\S/ : /^(https?|ssh):\/\/\S/;
  if (fault !== undefined || scheme.test(url)) return fault;
  return `${show(url)} is not a URL of ${kind === "OCIRepository" ? "an OCIRepository; accepted: oci://" : "a GitRepository; accepted: https://, http://, ssh://"}${respelt(url, (other) => scheme.test(other))}`;
}

function sourceProblems(source: NonNullable<FullGitOps["flux"]>["source"]): Problem[] {
  const { kind, name, url } = source;
  const path = ["gitops", "flux", "source"];
  return [
    ...about([...path, "url"]).say(url === undefined ? undefined : sourceURLFault(kind, url)),
    ...(["ref", "secretRef"] as const).flatMap((key) =>
      about([...path, key]).when(
        source[key] !== undefined && url === undefined,
        "belongs to a source that is rendered; set url too, or leave it out",
      ),
    ),
    ...about([...path, "name"]).when(
      url !== undefined && name === defaults.fluxSource.name,
      `must differ from ${defaults.fluxSource.name}, the source of \`flux bootstrap\`, which url would replace`,
    ),
  ];
}
