// Objects of a large cluster, as controllers write them.

export const namespace = "many";
export const endpointsEach = 10;

/** Without a selector: no controller writes its slice anew. */
export function headlessService(i: number) {
  return {
    metadata: { name: `service-${i}`, labels: { app: `app-${i}` } },
    spec: { clusterIP: "None", ports: [{ name: "http", port: 80, targetPort: 8080 }] },
  };
}

/** Behind a Service. In another generation all pods have others. */
export function addressesOf(i: number, generation: number): string[] {
  return Array.from({ length: endpointsEach }, (_, j) => `10.${100 + j + generation * 20}.${i >> 8}.${i & 255}`);
}

export function endpointSlice(i: number, generation: number, nodes: number) {
  return {
    metadata: {
      name: `service-${i}`,
      labels: {
        app: `app-${i}`,
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
        "kubernetes.io/service-name": `service-${i}`,
      },
    },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
    endpoints: addressesOf(i, generation).map((address, j) => ({
      addresses: [address],
      conditions: { ready: true, serving: true, terminating: false },
      nodeName: `node-${(i * endpointsEach + j) % nodes}`,
      targetRef: {
        kind: "Pod",
        namespace,
        name: `app-${i}-7d9f8b6c5d-${j}abcd`,
        uid: "0e5f1c1e-5b0f-4a57-9c56-9d1f6f3f0a11",
      },
    })),
  };
}
