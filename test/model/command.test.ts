import { expect, it } from "vitest";
import { clusterDns, inContext, kubectl, printCommand } from "../../src/model/command";

it.each([
  [kubectl("delete", "pod", "a", "--namespace", "b"), "kubectl delete pod a --namespace b"],
  [kubectl("scale", "deployment", "coredns", "--replicas=2"), "kubectl scale deployment coredns --replicas=2"],
  [kubectl("get", "pods", "-l", "a=b,c=d"), "kubectl get pods -l a=b,c=d"],
  [kubectl("patch", "x", '--patch={"a":1}'), `kubectl patch x '--patch={"a":1}'`],
  [kubectl("apply", "-f", "my out/it's"), `kubectl apply -f 'my out/it'\\''s'`],
  [kubectl("apply", "-f", "a;b", ""), "kubectl apply -f 'a;b' ''"],
  [{ ...clusterDns("doctor"), comment: "once more" }, "npx cdk8s-cluster-dns doctor  # once more"],
])("a command is quoted as it is printed: %j", (command, printed) => expect(printCommand(command)).toBe(printed));

it.each([
  [kubectl("exec", "a", "--", "b"), "kubectl --context prod exec a -- b"],
  [{ program: "flux", args: ["get", "all"] }, "flux --context prod get all"],
  [
    { ...clusterDns("diff", "--live"), endsWithContext: true } as const,
    "npx cdk8s-cluster-dns diff --live --context prod",
  ],
  [clusterDns("synth"), "npx cdk8s-cluster-dns synth"],
  [{ program: "git", args: ["add"] }, "git add"],
])("a command is for the cluster of a context, if for any: %j", (command, printed) => {
  expect(printCommand(inContext(command, "prod"))).toBe(printed);
});
