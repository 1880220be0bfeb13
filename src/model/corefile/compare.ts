import { inZone } from "../syntax/names";
import type { Corefile, Directive, ServerBlock } from "./corefile";
import { lineOf, textOf } from "./line";
import { pluginRule } from "./plugins";
import { zonesOf } from "./server-key";

/** What one plugin does with the names of a zone, before and after; none where there is no such plugin. */
export interface CorefileDifference {
  readonly zone: string;
  readonly plugin: string;
  readonly before: readonly Directive[];
  readonly after: readonly Directive[];
}

/**
 * Where two Corefiles treat the names of a zone differently, however they are laid out in server blocks: one block for
 * everything equals a block for each zone. Compared are the zones that either mentions.
 */
export function compareCorefiles(before: Corefile, after: Corefile): CorefileDifference[] {
  const zones = [...new Set([...zonesIn(before), ...zonesIn(after)])];
  return zones.flatMap((zone) => {
    const [was, is] = [directivesFor(before, zone), directivesFor(after, zone)];
    const names = [...new Set([...was, ...is].map(({ name }) => name))];
    return names.flatMap((name): CorefileDifference[] => {
      const [old, now] = [was, is].map((all) => all.filter((each) => each.name === name)) as [Directive[], Directive[]];
      return old.map(lineOf).join("\n") === now.map(lineOf).join("\n")
        ? []
        : [{ zone, plugin: name, before: old, after: now }];
    });
  });
}

/** The plugins that see a query for names of a zone over UDP, each as far as it is for them. */
export function directivesFor(corefile: Corefile, zone: string): readonly Directive[] {
  const block = blockFor(corefile, zone);
  const directives = (block?.plugins ?? []).filter((each) => isFor(each, zone));
  // CoreDNS asks the first that has the name.
  const forward = directives.find(({ name }) => name === "forward");
  return directives.flatMap((each) => {
    if (each.name !== "forward") return [each];
    // `forward .` in a block of the zone is `forward ZONE` in another.
    return each === forward ? [{ ...each, args: [zone, ...each.args.slice(1)] }] : [];
  });
}

/** The block of the longest zone; of several, the first that no view keeps for some clients. */
export function blockFor(corefile: Corefile, zone: string): ServerBlock | undefined {
  const containing = corefile.flatMap((block) =>
    block.keys
      .flatMap((key) => zonesOf(key.zone))
      .filter((each) => inZone(zone, each))
      .map((each) => ({ block, length: each === "." ? 0 : each.length })),
  );
  const longest = Math.max(...containing.map(({ length }) => length));
  const blocks = containing.filter(({ length }) => length === longest).map(({ block }) => block);
  return blocks.find((block) => !block.plugins.some(isViewOfSome)) ?? blocks[0];
}

function isViewOfSome(directive: Directive): boolean {
  return directive.name === "view" && !lineOf(directive).includes("proto() == 'udp'");
}

/** Of a block for all names, `kubernetes cluster.local` is for the cluster's only. */
function isFor({ name, args }: Directive, zone: string): boolean {
  const zones = zonesSaid({ name, args, options: [] });
  return zones.length === 0 || zones.some((each) => inZone(zone, each));
}

function zonesIn(corefile: Corefile): string[] {
  return corefile.flatMap(({ keys, plugins: all }) => [
    ...keys.flatMap((key) => zonesOf(key.zone)),
    ...all.flatMap(zonesSaid),
  ]);
}

/** The zones that a plugin names; none: it is for those of its block. */
export function zonesSaid({ name, args }: Directive): string[] {
  const texts = args.map(textOf);
  if (name === "forward" || name === "grpc") return texts.slice(0, 1).flatMap(zonesOf);
  return texts.slice(pluginRule(name)?.answersFrom ?? Infinity).flatMap(zonesOf);
}
