import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { problem, when } from "./report";

const host = "[a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?(:\\d{1,5})?";
const repository = "[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*";
const reference = new RegExp(
  `^(${host}/)?${repository}(?<tag>:[A-Za-z0-9_][-.A-Za-z0-9_]{0,127})?(?<digest>@sha256:[0-9a-f]{64})?$`,
);

/** Images name what runs: a tag or a digest, and never `latest`. */
export function imageRules(props: ClusterDnsProps): Problem[] {
  const images: [path: string[], image: string | undefined][] = [
    [["agentImage"], props.agentImage],
    [["authoritativeDNS", "image"], props.authoritativeDNS?.image],
    [["authoritativeDNS", "autoscaler", "image"], props.authoritativeDNS?.autoscaler?.image],
    [["nodeLocalDNS", "image"], props.nodeLocalDNS?.image],
  ];
  const registry = props.imageRegistry;
  return [
    ...images.flatMap(([path, image]) => (image === undefined ? [] : imageProblems(path, image))),
    ...when(
      registry !== undefined && !new RegExp(`^${host}(/${repository})?$`).test(registry),
      ["imageRegistry"],
      `${show(registry)} is not a registry; accepted: HOST[:PORT][/PATH], without a scheme or a final /`,
    ),
  ];
}

function imageProblems(path: string[], image: string): Problem[] {
  const groups = reference.exec(image)?.groups;
  if (!groups)
    return [
      problem(path, `${show(image)} is not an image; accepted: [REGISTRY/]NAME:TAG or [REGISTRY/]NAME@sha256:DIGEST`),
    ];
  if (!groups.tag && !groups.digest)
    return [problem(path, `${show(image)} names no version; add :TAG or @sha256:DIGEST`)];
  return when(
    groups.tag === ":latest" && !groups.digest,
    path,
    `${show(image)} changes under the running pods; name a version or a digest`,
  );
}
