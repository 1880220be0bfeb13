import type {
  SelfManagedCertificates,
  WebhookConfigurationReference,
} from "../../../model/admission/webhook/webhook-config";
import { hasStatus, type KubeClient, type KubeObject } from "../../kube/client";
import { bundle, rotate, trustedTime, type CertificateState } from "./rotation";
import { issue, type Issued } from "./issue";
import { stateOf, withState, type CertificateSecret } from "./secret";

interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly { readonly clientConfig: { readonly caBundle?: string } }[];
}

/** If replicas write at the same time, one wins and the others read what it wrote. */
const attempts = 5;

/**
 * Brings the Secret and the webhook configurations up to date, and returns the certificate to serve. Every replica
 * calls it once a minute; resourceVersion decides which of them makes a change.
 * @param ownTime This node's clock, which may be wrong. So may the API server's.
 * @returns The certificate, whether every configuration exists and trusts it, and the time that was relied on.
 */
export async function synchronize(
  client: KubeClient,
  options: SelfManagedCertificates,
  ownTime: Date,
): Promise<{ readonly current: Issued; readonly published: boolean; readonly now: Date }> {
  const configurations = await readConfigurations(client, options.configurations);
  const found = configurations.flatMap(caBundles);
  const { state, now } = await agreedState(client, options, found, ownTime);
  if (!state.current) throw new Error("the state that was just written has no certificate");
  const trusted = Buffer.from(bundle(state, now, found)).toString("base64");
  const results = await Promise.all(configurations.map((configuration) => publish(client, configuration, trusted)));
  return {
    current: state.current,
    published: results.length === options.configurations.length && results.every(Boolean),
    now,
  };
}

async function agreedState(
  client: KubeClient,
  { secret: { namespace, name }, dnsNames }: SelfManagedCertificates,
  found: readonly string[],
  ownTime: Date,
): Promise<{ readonly state: CertificateState; readonly now: Date }> {
  const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
  for (let attempt = 1; ; attempt++) {
    const secret = await client.get<CertificateSecret>(path);
    const state = stateOf(secret);
    const now = trustedTime(state, dnsNames, [client.date ?? ownTime, ownTime]);
    const { next } = state;
    const nextIsPublished = next !== undefined && found.every((each) => each.includes(next.authority.trim()));
    const wanted = await rotate(state, { now, dnsNames, nextIsPublished, issue });
    if (wanted === state) return { state, now };
    try {
      await client.put(path, withState(secret, wanted));
      return { state: wanted, now };
    } catch (error) {
      if (!hasStatus(error, 409) || attempt === attempts) throw error;
    }
  }
}

interface Found {
  readonly path: string;
  readonly object: WebhookConfiguration;
}

/** Only those that exist: they are applied after the server. */
async function readConfigurations(
  client: KubeClient,
  references: readonly WebhookConfigurationReference[],
): Promise<Found[]> {
  const found = await Promise.all(
    references.map(async ({ resource, name }) => {
      const path = `/apis/admissionregistration.k8s.io/v1/${resource}/${name}`;
      try {
        return { path, object: await client.get<WebhookConfiguration>(path) };
      } catch (error) {
        if (hasStatus(error, 404)) return undefined;
        throw error;
      }
    }),
  );
  return found.filter((one) => one !== undefined);
}

function caBundles({ object: { webhooks = [] } }: Found): string[] {
  return webhooks.map(({ clientConfig: { caBundle = "" } }) => Buffer.from(caBundle, "base64").toString("utf8"));
}

/** @returns False if someone else has changed the configuration in the meantime; the next round sees the change. */
async function publish(client: KubeClient, { path, object }: Found, caBundle: string): Promise<boolean> {
  const { webhooks = [], metadata } = object;
  const operations = webhooks.flatMap(({ clientConfig }, i) =>
    clientConfig.caBundle === caBundle
      ? []
      : [{ op: "add", path: `/webhooks/${i}/clientConfig/caBundle`, value: caBundle }],
  );
  if (operations.length === 0) return true;
  try {
    // The version ensures that the indexes still refer to the same webhooks.
    await client.jsonPatch(path, [
      { op: "test", path: "/metadata/resourceVersion", value: metadata.resourceVersion },
      ...operations,
    ]);
    return true;
  } catch (error) {
    if (hasStatus(error, 409, 422)) return false;
    throw error;
  }
}
