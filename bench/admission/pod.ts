/** A typical pod: two containers, some environment, some volumes; about 5 KB. */
export const typicalPod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { generateName: "web-", labels: { app: "web" }, annotations: { note: "x".repeat(500) } },
  spec: {
    dnsPolicy: "ClusterFirst",
    containers: ["web", "proxy"].map((name) => ({
      name,
      image: `registry.example/team/${name}:1.2.3`,
      env: Array.from({ length: 20 }, (_, n) => ({ name: `VARIABLE_${n}`, value: `value of variable ${n}` })),
      ports: [{ containerPort: 8080, protocol: "TCP" }],
      resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
      volumeMounts: [{ name: "data", mountPath: "/data" }],
    })),
    volumes: [{ name: "data", emptyDir: {} }],
  },
};

/** A hundred, with a namespace each. */
export const tenancy = {
  tenants: Array.from({ length: 100 }, (_, i) => ({ name: `t${i}`, namespaces: [`n${i}`] })),
};
