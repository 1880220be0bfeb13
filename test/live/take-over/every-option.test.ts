import { expect, it } from "vitest";
import { renderCluster } from "../../../src/charts/render-cluster";
import { resolve } from "../../../src/model/check/resolve";
import { schema, type Schema } from "../../schema";
import { kubeadm, taken } from "./objects";

const least = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", nodeLocalDNS: { state: "disabled" } };

/** What of a mapping's keys has few values: those that are not its default. */
function optionsOf({ properties = {} }: Schema = {}): [key: string, value: unknown][] {
  return Object.entries(properties).flatMap(([key, { type, enum: words, minimum = 0, default: usual }]) => {
    const values = words ?? (type === "boolean" ? [true, false] : type === "integer" ? [minimum + 1] : []);
    return values.filter((value) => value !== usual).map((value): [string, unknown] => [key, value]);
  });
}

function corefileOf(props: object): string | undefined {
  const { cluster } = resolve({ ...least, ...props });
  const objects = cluster && renderCluster(cluster).components.flatMap((each) => each.objects);
  const configMap = objects?.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name.startsWith("coredns-"));
  return configMap?.data?.["Corefile"] as string | undefined;
}

const ours = corefileOf({});
const options = [
  ...optionsOf(schema).map(([key, value]) => ({ [key]: value })),
  ...optionsOf(schema.definitions?.["AuthoritativeDnsOptions"]).map(([key, value]) => ({
    authoritativeDNS: { [key]: value },
  })),
].filter((props) => ![ours, undefined].includes(corefileOf(props)));

it.each(options)("init finds in a Corefile of ours: %j", (props) => {
  expect(taken(kubeadm(corefileOf(props) ?? "")).own).toMatchObject(props);
});
