/** The plugins of k8s-dns-node-cache 1.26.8. */
export const pluginsOfNodeCache: readonly string[] =
  "bind bufsize cache debug dns64 errors forward health hosts loadbalance log loop prometheus pprof reload rewrite template timeouts trace whoami".split(
    " ",
  );
