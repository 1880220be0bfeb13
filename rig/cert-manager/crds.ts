import { toolsModule } from "../tools";

/** The custom resources of cert-manager, as its Go module publishes them. */
export const certManagerCrds = {
  module: toolsModule("cert-manager"),
  files: [
    ...["certificates", "certificaterequests", "issuers", "clusterissuers"].map((name) => `cert-manager.io_${name}`),
    ...["challenges", "orders"].map((name) => `acme.cert-manager.io_${name}`),
  ].map((name) => `deploy/crds/${name}.yaml`),
};
