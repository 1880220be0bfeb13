/** The custom resources of cert-manager that we render, as its Go module publishes them. */
export const certManagerCrds = {
  module: "github.com/cert-manager/cert-manager@v1.21.2",
  files: ["certificates", "issuers", "clusterissuers"].map((name) => `deploy/crds/cert-manager.io_${name}.yaml`),
};
