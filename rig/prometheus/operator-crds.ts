/** The custom resources of the Prometheus operator that we render, as its Go module publishes them. */
export const operatorCrds = {
  module: "github.com/prometheus-operator/prometheus-operator@v0.85.0",
  files: ["podmonitors", "prometheusrules", "servicemonitors"].map(
    (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
  ),
};
