import type { WrittenBlock, WrittenCorefile, WrittenDirective } from "../corefile/corefile";
import { parseCorefile } from "../corefile/parse";
import { zonesSaid } from "../corefile/plugins";
import { zonesIn } from "../corefile/server-key";
import { mountedConfigMaps, podTemplate } from "../kubernetes/pods";
import { orElse } from "../syntax/or-else";
import { canonicalName, inZone, upwards } from "../syntax/names";
import { fallsThrough } from "../takeover/plugin-facts";
import type { Patient } from "./patient";

/** Whether the cluster DNS asks other servers for a name, by the Corefiles that it mounts. */
export function forwardedBy(patient: Patient): (name: string) => boolean {
  const mounted = new Set(patient.dns.workloads.flatMap((each) => mountedConfigMaps(podTemplate(each).spec)));
  const corefiles = (patient.state.configMaps ?? [])
    .filter(({ metadata }) => mounted.has(metadata.name))
    .map(({ data }) => byZone(orElse(() => parseCorefile(data?.["Corefile"] ?? ""), [])));
  return (name) => corefiles.some((blocks) => isForwarded(canonicalName(name), blocks));
}

/** Several of one zone are for different clients. */
type Blocks = ReadonlyMap<string, readonly WrittenBlock[]>;

function byZone(corefile: WrittenCorefile): Blocks {
  const blocks = new Map<string, WrittenBlock[]>();
  for (const block of corefile)
    for (const zone of zonesIn(block)) blocks.set(zone, [...(blocks.get(zone) ?? []), block]);
  return blocks;
}

function isForwarded(name: string, blocks: Blocks): boolean {
  const zone = upwards(name).find((each) => blocks.has(each)) ?? "";
  return (blocks.get(zone) ?? []).some(
    (block) => block.plugins.some((each) => asks(each, name)) && !block.plugins.some((each) => ends(each, name, block)),
  );
}

/** Itself it asks for names of its own, such as those of tenants, by other names. */
function asks(directive: WrittenDirective, name: string): boolean {
  const [, ...servers] = directive.args;
  const isAsked = directive.name === "forward" || directive.name === "grpc";
  const isItself = servers.every((server) => server === "127.0.0.1:53");
  return isAsked && !isItself && zonesSaid(directive).some((zone) => inZone(name, zone));
}

const answering: ReadonlySet<string> = new Set(["kubernetes", "file", "auto", "secondary"]);

/** Whether a plugin answers a name in any case. */
function ends(directive: WrittenDirective, name: string, block: WrittenBlock): boolean {
  const said = zonesSaid(directive);
  const zones = said.length > 0 ? said : zonesIn(block);
  const isOwn = answering.has(directive.name) && zones.some((zone) => inZone(name, zone));
  return isOwn && !fallsThrough(directive.options, name);
}
