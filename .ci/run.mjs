import { npm, run, runSuites, vitest } from "../scripts/run-suites.mjs";

// What the suites call from the machine; rig/cluster/requirements.ts and rig/vm/requirements.ts say what each is for.
const packages =
  "buildah busybox-static chromium clang-19 conntrack cpio debian-archive-keyring dnsperf dnsutils fish gcc git ipset iproute2 iptables kmod libc6-dev libcap2-bin libseccomp-dev musl-tools netcat-openbsd nftables openssl pkg-config python3 python3-venv qemu-system-x86 qemu-user-static redis-server util-linux xz-utils zsh";

// What of the kernel suite shows right and wrong in seconds. The other files count losses or measure for minutes.
const kernel =
  "rule-sets random-clusters link node-setup at-once node-cache watchdog hang interception-change link-addresses past-cache conntrack rewrite image hosts-file openshift-writer";

// What touches files and the command line, on the oldest version that package.json's `engines` names and on the newest. CI's own runs all.
const dependsOnNode = ["test/cli", "test/config", "test/output", "test/dist.test.ts"];

const install = ["apt-get", "install", "-q", "-y", "--no-install-recommends", ...packages.split(" ")];

await runSuites([
  { ...run("apt-get update", ["apt-get", "update", "-q"]), isNeeded: true },
  { ...run("apt-get install", ["env", "DEBIAN_FRONTEND=noninteractive", ...install]), isNeeded: true },
  { ...run("npm ci", ["npm", "ci"]), isNeeded: true },
  { ...run("compiled checks", ["node", "scripts/generate.mjs", "--validator-only"]), isNeeded: true },
  npm("build"),
  vitest("test"),
  // Before a test runs beside it: two compilers leave no processor to anybody.
  run("components", ["node", "scripts/build-tools.mjs", "flux", "source-controller", "kubernetes-validation"]),
  vitest("test:e2e", "--project", "behaviour"),
  // Alone: it counts answers that are lost.
  vitest("test:kernel", ...kernel.split(" ").map((name) => `test/kernel/${name}.test.ts`)),
  // Two guests of one processor each, whose tests are patient. What is beside them measures no time.
  [
    [
      npm("lint"),
      npm("lint:workflows"),
      npm("typecheck"),
      npm("hardening"),
      npm("supply-chain"),
      vitest("test:registry"),
      vitest("test:site"),
    ],
    [vitest("test:vm", "test/vm/ipvs.test.ts")],
    [vitest("test:vm", "test/vm/cgroup2.test.ts", "test/kernel/link.test.ts")],
  ],
  ...["20.19.0", "26"].map((version) => vitest("test:node", version, ...dependsOnNode)),
]);
