/** The pages of docs/, by what a reader wants. A page that is in no group fails the build (stage.mjs). */
export const groups = {
  Start: ["from-a-cluster", "your-repository", "cluster-file"],
  Tasks: [
    "fleets",
    "reading",
    "gitops",
    "placement",
    "memory",
    "tenancy",
    "federation",
    "node-resolver",
    "network-policies",
    "monitoring",
    "smoke-test",
    "agent-image",
    "api",
  ],
  Concepts: ["modes", "watchdog", "webhook", "admission-policies", "threat-model"],
  Operations: ["doctor", "troubleshooting"],
  Evidence: ["testing", "failover", "performance", "kubernetes-suite", "hardening", "seeds"],
  Project: ["development", "releasing"],
};
