import { expect, it } from "vitest";
import { agentImage, problemsOf } from "./problems";

const service = "image-registry.openshift-image-registry.svc";
const nodeResolver = { services: [service] };

const inside = `${service}:5000/openshift/agent:1`;
const unfound = "is in a registry that nodes only find once its pods run";

it.each<[path: string, problem: string, props: object]>([
  ["nodeResolver", "needs agentImage: the node-resolver", { agentImage: undefined }],
  ["nodeResolver.services[1]", "is named twice; keep one", { nodeResolver: { services: [service, service] } }],
  ...[inside, `${service}.cluster.local:5000/agent:1`, `${service}/agent:1`].map((image): [string, string, object] => [
    "agentImage",
    unfound,
    { agentImage: image },
  ]),
  ["authoritativeDNS.image", unfound, { "authoritativeDNS.image": inside }],
  ["imageRegistry", unfound, { imageRegistry: `${service}:5000/k8s` }],
])("%s %s: %j", (path, problem, props) => {
  const [found = "", ...others] = problemsOf({ agentImage, nodeResolver, ...props });
  expect([found.split(": ")[0], others]).toEqual([path, []]);
  expect(found).toContain(problem);
});

const all = { services: [service, "a.b.svc"], interval: "30s", seLinuxOptions: { type: "spc_t" }, state: "removed" };
it.each<[what: string, props: object]>([
  ["a Service", {}],
  ["every option", { nodeResolver: all }],
  ["an image of what can wait", { "nodeLocalDNS.image": inside }],
  ["a registry that only the cluster's DNS is from", { "authoritativeDNS.kind": "Existing", imageRegistry: service }],
  ["CoreDNS from elsewhere", { "authoritativeDNS.image": "registry.example/coredns:v1.14.7", imageRegistry: service }],
  ["a name that only ends in that of the Service", { agentImage: `other-${inside}` }],
])("accepts %s", (_, props) => expect(problemsOf({ agentImage, nodeResolver, ...props })).toEqual([]));
