import { isMapping } from "../../model/syntax/mapping";
import { errorMessage } from "../errors";
import { excessIn } from "./excess";
import { longestAnswer, longestRefusal } from "./limits";

/** The API server's request (admission.k8s.io/v1 AdmissionRequest), as far as we look at it. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: { readonly group?: string; readonly kind: string };
  readonly resource: { readonly resource: string };
  readonly operation: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly userInfo?: { readonly username?: string; readonly groups?: readonly string[] };
  readonly object?: unknown;
  readonly oldObject?: unknown;
}

export type Verdict =
  | { readonly allowed: true; readonly patch?: readonly PatchOperation[]; readonly warnings?: readonly string[] }
  | { readonly allowed: false; readonly message: string };

export interface PatchOperation {
  readonly op: "add";
  readonly path: string;
  readonly value: unknown;
}

export interface Answered {
  readonly text: string;
  readonly verdict: Verdict;
  readonly about: About;
}

/** Who asks for what, short enough for a log line. */
interface About {
  readonly uid: string;
  readonly operation?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly user?: string;
}

export type Decide = (request: AdmissionRequest) => Verdict;

/** Not an admission review, or not one for this path: status 400, and the configuration's failurePolicy decides. */
export class BadReview extends Error {}

/** @param guards Whether a review that cannot be read is denied; if not, the request passes. @throws BadReview */
export function answerReview(decide: Decide, body: Buffer, guards: boolean): Answered {
  const excess = excessIn(body);
  if (excess !== undefined) return refuseUnread(body, new BadReview(`the review ${excess}`), guards);
  const request = parseReview(body.toString("utf8"));
  const verdict = decide(request);
  const text = formatReview(request.uid, verdict);
  const bytes = Buffer.byteLength(text);
  if (bytes > longestAnswer)
    return refuseUnread(body, new BadReview(`its answer has ${bytes} bytes, more than ${longestAnswer}`), guards);
  return { text, verdict, about: aboutOf(request) };
}

/** Denies a review that is too large, by the uid at its beginning. @throws `why`, unless the path guards something. */
export function refuseUnread(beginning: Buffer, why: Error, guards: boolean): Answered {
  const [, uid] =
    /^{"kind":"AdmissionReview",.{0,100}"request":{"uid":"([^"]{1,100})"/.exec(beginning.toString("latin1")) ?? [];
  if (uid === undefined || !guards) throw why;
  const message = `this change is refused: ${why.message}. Make the object smaller.`;
  const verdict = { allowed: false, message } as const;
  return { text: formatReview(uid, verdict), verdict, about: { uid } };
}

/** @throws BadReview */
export function parseReview(text: string): AdmissionRequest {
  let review: unknown;
  try {
    review = JSON.parse(text);
  } catch (error) {
    throw new BadReview(`body is not JSON: ${errorMessage(error)}`);
  }
  if (!isMapping(review) || review["kind"] !== "AdmissionReview" || review["apiVersion"] !== "admission.k8s.io/v1") {
    throw new BadReview(`got ${describe(review)}, accepted is an AdmissionReview of admission.k8s.io/v1`);
  }
  const request = review["request"] as Partial<AdmissionRequest> | undefined;
  const needed = [request?.uid, request?.operation, request?.kind?.kind, request?.resource?.resource];
  if (!needed.every((one) => typeof one === "string"))
    throw new BadReview("AdmissionReview without a complete request: uid, operation, kind and resource are needed");
  return request as AdmissionRequest;
}

export function formatReview(uid: string, verdict: Verdict): string {
  return JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: { uid, ...responseOf(verdict) },
  });
}

function aboutOf({ uid, operation, namespace, name, userInfo }: AdmissionRequest): About {
  const short = (text: unknown) => (typeof text === "string" ? text.slice(0, 300) : undefined);
  return {
    uid: uid.slice(0, 300),
    operation: short(operation),
    namespace: short(namespace),
    name: short(name),
    user: short(userInfo?.username),
  };
}

function responseOf(verdict: Verdict): object {
  if (!verdict.allowed) {
    // A message without an end must not turn a refusal into an error, which may pass.
    const message = verdict.message.slice(0, longestRefusal);
    return { allowed: false, status: { code: 403, reason: "Forbidden", message } };
  }
  const { patch, warnings } = verdict;
  const encoded = patch?.length ? Buffer.from(JSON.stringify(patch)).toString("base64") : undefined;
  return {
    allowed: true,
    patchType: encoded && "JSONPatch",
    patch: encoded,
    warnings: warnings?.length ? warnings : undefined,
  };
}

function describe(value: unknown): string {
  return isMapping(value)
    ? `kind ${JSON.stringify(value["kind"])} of ${JSON.stringify(value["apiVersion"])}`.slice(0, 200)
    : typeof value;
}
