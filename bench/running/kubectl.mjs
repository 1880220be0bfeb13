#!/usr/bin/env node
// Stands in for kubectl, and for the API server of a cluster of many nodes behind it. Its processor time and memory are
// not those of who asks it. What the cluster runs is in running.json: the objects that were applied to it.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const args = process.argv.slice(2);
const { nodes, applied } = JSON.parse(readFileSync("running.json", "utf8"));
const id = "0e5f1c1e-5b0f-4a57-9c56-9d1f6f3f0a11";
const at = "2026-11-20T08:00:00Z";

if (args.includes("proxy"))
  serve(args.find((each) => each.startsWith("--unix-socket=")).slice("--unix-socket=".length));
else process.stdout.write(printed());

/** What `config`, `api-resources`, `apply` and `get` print. */
function printed() {
  if (args.includes("current-context")) return "large\n";
  if (args.includes("api-resources")) {
    const of = ({ apiVersion }) => (apiVersion === "v1" ? "" : `.${apiVersion.split("/")[0]}`);
    return [...new Set(applied.map((each) => `${resourceOf(each)}${of(each)}`))].join("\n");
  }
  const same = (a, b) => a.kind === b.kind && a.metadata.name === b.metadata.name;
  const asked = args.includes("-f") ? JSON.parse(readFileSync(0, "utf8")).items : undefined;
  if (args.includes("apply")) return list(asked.map(stored));
  const resources = args[args.indexOf("get") + 1].split(",").map((each) => each.split(".")[0]);
  const found = applied.filter((each) =>
    asked ? asked.some((one) => same(one, each)) : resources.includes(resourceOf(each)),
  );
  return list(found.map(stored));
}

function resourceOf({ kind }) {
  return `${kind.toLowerCase()}s`.replace(/ys$/, "ies");
}

function list(items) {
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}

/** With what the API server adds. */
function stored(object) {
  return {
    ...object,
    metadata: {
      ...object.metadata,
      uid: id,
      resourceVersion: "1",
      creationTimestamp: at,
      generation: 1,
      managedFields: [managed("kubectl")],
    },
  };
}

/** As long as those of a pod. */
function managed(manager) {
  const fields = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `f:field${i}`,
      { ".": {}, [`k:{"name":"value-${i}"}`]: { ".": {}, "f:name": {} } },
    ]),
  );
  return {
    manager,
    operation: "Update",
    apiVersion: "v1",
    time: at,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": fields },
  };
}

function serve(socket) {
  const pages = new Map();
  const server = createServer((request, response) => {
    const [path, query = ""] = request.url.split("?");
    const parameters = new URLSearchParams(query);
    const text = page(path, parameters);
    if (text === undefined) response.statusCode = 404;
    response.end(text ?? JSON.stringify({ kind: "Status", message: `"${path.split("/").at(-1)}" not found` }));
  });
  // As kubectl, which closes no idle connection.
  server.keepAliveTimeout = 0;
  server.listen(socket, () => process.stdout.write(`Starting to serve on ${socket}\n`));

  function page(path, parameters) {
    if (path === "/version") return JSON.stringify({ gitVersion: "v1.37.1" });
    if (path.endsWith("/configz"))
      return JSON.stringify({ kubeletconfig: { clusterDNS: ["10.96.0.10"], clusterDomain: "cluster.local" } });
    if (path.endsWith("/livez")) return "{}";
    if (path.endsWith("/metrics")) return metrics(path);
    if (path.endsWith("/log")) return log(path, Number(parameters.get("tailLines")));
    const one = applied.find((each) => path.endsWith(`/${resourceOf(each)}/${each.metadata.name}`));
    if (one) return JSON.stringify(stored(one));
    const items = itemsAt(path);
    const from = Number(parameters.get("continue") ?? 0);
    const most = Number(parameters.get("limit") ?? items.count);
    const some = [];
    for (let i = from; i < Math.min(from + most, items.count); i++) some.push(items.text(i));
    const next = from + most < items.count ? String(from + most) : "";
    return `{"metadata":{"continue":"${next}"},"items":[${some.join(",")}]}`;
  }

  /** How many there are, and each as JSON. */
  function itemsAt(path) {
    if (!pages.has(path)) pages.set(path, makeItems(path));
    return pages.get(path);
  }
}

function makeItems(path) {
  if (path === "/api/v1/nodes") return { count: nodes, text: filled(node()) };
  if (path === "/api/v1/pods") return pods();
  const resource = path.split("/").at(-1);
  const objects = resource === "endpointslices" ? slices() : applied.filter((each) => resourceOf(each) === resource);
  const found = objects.map((each) => JSON.stringify(stored(each)));
  return { count: found.length, text: (i) => found[i] };
}

/** All of what a node has one of, then those of users. */
function pods() {
  const template = ({ kind, metadata, spec }) => ({ kind, name: metadata.name, ...spec.template });
  const ofNodes = [
    ...applied.filter(({ kind }) => kind === "DaemonSet").map(template),
    kubeProxy("kube-proxy"),
    kubeProxy("cni"),
  ].map((each) => filled(pod(each, "kube-system")));
  const replicas = applied
    .filter(({ kind }) => kind === "Deployment")
    .map((each) => ({ count: each.spec.replicas ?? 2, text: filled(pod(template(each), "kube-system")) }));
  const users = Array.from({ length: 100 }, (_, i) => filled(pod(userTemplate(i), `team-${i}`)));
  const perNode = 30 - ofNodes.length;
  const parts = [
    ...ofNodes.map((text) => ({ count: nodes, text })),
    ...replicas,
    ...users.map((text) => ({ count: (nodes * perNode) / users.length, text })),
  ];
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  return {
    count,
    text(i) {
      let left = i;
      for (const part of parts) {
        if (left < part.count) return part.text(left);
        left -= part.count;
      }
      throw new Error(`no pod ${i}`);
    },
  };
}

/** The text with a number in place of each @, and with two in place of each ^, as the end of an address. */
function filled(object) {
  const parts = JSON.stringify(object)
    .split("@")
    .map((part) => part.split("^"));
  return (i) => parts.map((part) => part.join(`${i >> 8}.${i & 255}`)).join(String(i));
}

/** As the controller writes them: at most 1,000 addresses in each. */
function slices() {
  return applied
    .filter(({ kind }) => kind === "Service")
    .flatMap(({ metadata: { name }, spec: { selector, ports = [] } }) => {
      const labelled = ({ spec }) =>
        Object.entries(selector ?? {}).every(([key, value]) => spec.template?.metadata.labels[key] === value);
      const workload = applied.find(({ kind, spec }) => /Deployment|DaemonSet/.test(kind) && labelled({ spec }));
      const count = workload ? (workload.kind === "DaemonSet" ? nodes : (workload.spec.replicas ?? 2)) : 0;
      const endpoints = Array.from({ length: count }, (_, i) => ({
        addresses: [`10.0.${i >> 8}.${i & 255}`],
        conditions: { ready: true },
      }));
      return Array.from({ length: Math.ceil(count / 1000) }, (_, i) => ({
        metadata: { name: `${name}-${i}`, namespace: "kube-system", labels: { "kubernetes.io/service-name": name } },
        ports: ports.map((each) => ({ name: each.name, protocol: each.protocol, port: each.port })),
        endpoints: endpoints.slice(i * 1000, (i + 1) * 1000),
      }));
    });
}

function node() {
  const images = Array.from({ length: 50 }, (_, j) => ({
    names: [`registry.example/image-${j}@sha256:${"0".repeat(64)}`.replace("@", "%"), `registry.example/image-${j}:v1`],
    sizeBytes: 100_000_000 + j,
  }));
  const conditions = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map((type) => ({
    type,
    status: type === "Ready" ? "True" : "False",
    reason: `Kubelet${type}`,
    message: "kubelet is posting ready status",
    lastHeartbeatTime: new Date().toISOString(),
    lastTransitionTime: at,
  }));
  return {
    metadata: {
      name: "node-@",
      uid: id,
      creationTimestamp: at,
      labels: {
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": "node-@",
        "topology.kubernetes.io/zone": "a",
      },
      managedFields: [managed("kubelet"), managed("kube-controller-manager")],
    },
    spec: { podCIDR: "10.244.0.0/24", providerID: "cloud://node-@" },
    status: {
      conditions,
      images,
      addresses: [{ type: "InternalIP", address: "10.1.^" }],
      nodeInfo: { kubeletVersion: "v1.37.1" },
    },
  };
}

function kubeProxy(name) {
  const volumeMounts = [
    { name: "kube-api-access-x@", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true },
  ];
  return {
    kind: "DaemonSet",
    name,
    metadata: { labels: { "k8s-app": name } },
    spec: {
      hostNetwork: true,
      dnsPolicy: "ClusterFirst",
      containers: [
        {
          name,
          image: `registry.k8s.io/${name}:v1.37.1`,
          env: [{ name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
          volumeMounts,
        },
      ],
      volumes: [
        {
          name: "kube-api-access-x@",
          projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: "token" } }] },
        },
      ],
    },
  };
}

function userTemplate(i) {
  const env = Array.from({ length: 10 }, (_, j) => ({
    name: `VARIABLE_${j}`,
    value: `value ${j} of application ${i}`,
  }));
  return {
    kind: "Deployment",
    name: `app-${i}`,
    metadata: { labels: { app: `app-${i}` } },
    spec: {
      dnsPolicy: "ClusterFirst",
      containers: ["app", "sidecar"].map((name) => ({ name, image: `registry.example/${name}-${i}:1`, env })),
    },
  };
}

/** As a kubelet and the controllers complete it. */
function pod({ kind, name, metadata, spec }, namespace) {
  const containers = (spec.containers ?? []).map((each) => ({
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    ...each,
  }));
  const conditions = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
    (type) => ({
      type,
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: at,
    }),
  );
  const status = ({ name: container, image }) => ({
    name: container,
    image,
    imageID: `${image}%sha256:${"0".repeat(64)}`,
    containerID: `containerd://${"0".repeat(56)}@`,
    ready: true,
    started: true,
    restartCount: 0,
    lastState: {},
    state: { running: { startedAt: at } },
  });
  const matchFields = [{ key: "metadata.name", operator: "In", values: ["node-@"] }];
  const affinity = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
  };
  const isOfNode = kind === "DaemonSet";
  const tolerations = [
    "not-ready",
    "unreachable",
    "disk-pressure",
    "memory-pressure",
    "pid-pressure",
    "unschedulable",
  ].map((each) => ({
    key: `node.kubernetes.io/${each}`,
    operator: "Exists",
    effect: "NoExecute",
  }));
  return {
    metadata: {
      name: `${name}-@`,
      generateName: `${name}-`,
      namespace,
      uid: id,
      resourceVersion: "1",
      creationTimestamp: at,
      labels: {
        ...metadata?.labels,
        ...(isOfNode ? { "controller-revision-hash": "5f9c" } : { "pod-template-hash": "5f9" }),
      },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: isOfNode ? "DaemonSet" : "ReplicaSet",
          name: isOfNode ? name : `${name}-5f9`,
          uid: id,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [managed("kube-controller-manager"), managed("kubelet")],
    },
    spec: {
      ...spec,
      containers,
      nodeName: "node-@",
      tolerations,
      ...(isOfNode && { affinity }),
      schedulerName: "default-scheduler",
      restartPolicy: "Always",
      enableServiceLinks: true,
      priority: 2000001000,
    },
    status: {
      phase: "Running",
      conditions,
      hostIP: "10.0.0.1",
      podIP: "10.0.^",
      podIPs: [{ ip: "10.0.^" }],
      startTime: at,
      initContainerStatuses: (spec.initContainers ?? []).map(status),
      containerStatuses: containers.map(status),
      qosClass: "Burstable",
    },
  };
}

/** All of them complain, all the time. */
function log(path, lines) {
  const [, name] = /\/pods\/([^/]+)\/log/.exec(path);
  const now = Date.now();
  return Array.from({ length: lines }, (_, i) => {
    const time = new Date(now - (lines - i) * 500).toISOString();
    const query = `name-${i}.of-an-application-with-a-long-name.${name}.example.com.`;
    return /watchdog/.test(name)
      ? `${time} {"level":50,"time":${now},"kind":"rules","msg":"repaired: rules, whose chain ${query} was changed by somebody"}\n`
      : `${time} [ERROR] plugin/errors: 2 ${query} A: read udp 10.0.0.1:${40_000 + i}->192.0.2.53:53: i/o timeout\n`;
  }).join("");
}

function metrics(path) {
  const [, i = ""] = /-(\d+):\d+\/proxy/.exec(path) ?? [];
  const prefix = "node_local_dns_watchdog";
  const listeners = ["udp-10.96.0.10", "tcp-10.96.0.10", "udp-169.254.20.10", "tcp-169.254.20.10"];
  const buckets = ["0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "+Inf"];
  const one = (name, value, labels = "") => `${prefix}_${name}${labels} ${value}`;
  return [
    ...["cache_up", "local", "host_local", "last_good_probe_age_seconds"].flatMap((name) => [
      `# HELP ${prefix}_${name} What a listener of the cache says`,
      `# TYPE ${prefix}_${name} gauge`,
      ...listeners.map((listener) => one(name, 1, `{listener="${listener}"}`)),
    ]),
    ...["replies_lost", "foreign_listener", "clients_without_replies"].flatMap((name) =>
      listeners.map((listener) => one(name, 0, `{listener="${listener}"}`)),
    ),
    ...["cluster_dns_up", "rules_applied"].map((name) => one(name, 1)),
    ...["blocked", "leftover_rules", "unmeasured_total"].map((name) => one(name, 0)),
    ...["udp", "tcp"].flatMap((protocol) =>
      buckets.map((le) => one("probe_duration_seconds_bucket", `${i}1`, `{protocol="${protocol}",le="${le}"}`)),
    ),
    ...listeners.flatMap((listener) =>
      ["query", "reply", "past"].map((kind) =>
        one("packets_total", `${i}7`, `{listener="${listener}",kind="${kind}"}`),
      ),
    ),
    one("repairs_total", 3, '{kind="rules"}'),
    "",
  ].join("\n");
}
