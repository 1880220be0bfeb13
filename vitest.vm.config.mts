import { defineConfig } from "vitest/config";

// What runs inside of a VM (rig/vm), some ten times slower than on the machine: it shows what is right, not how fast it is.
export default defineConfig({
  test: {
    // Of the kernel suite, what neither counts losses nor repeats a command a thousand times.
    include: ["test/vm/*.test.ts", "test/kernel/rule-sets.test.ts", "test/kernel/link.test.ts"],
    exclude: process.env["CLUSTER_DNS_NODE_CACHE"] === undefined ? ["test/vm/node-cache.test.ts"] : [],
    fileParallelism: false,
    testTimeout: 1_500_000,
    hookTimeout: 1_500_000,
  },
});
