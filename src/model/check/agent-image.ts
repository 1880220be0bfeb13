/** What to do where `agentImage` is missing. */
export const howToGetAgentImage =
  "build the image in a clone of cdk8s-cluster-dns, `npm run image -- --push REGISTRY/NAME`, and name it here";
