import { npm, run, runSuites } from "../scripts/run-suites.mjs";
import { ci } from "../scripts/suites.mjs";

// What the suites call from the machine; rig/cluster/requirements.ts and rig/vm/requirements.ts say what each is for.
const packages =
  "buildah busybox-static chromium clang-19 conntrack cpio debian-archive-keyring dnsperf dnsutils fish gcc git ipset iproute2 iptables kmod libc6-dev libcap2-bin libseccomp-dev musl-tools netcat-openbsd nftables openssl pkg-config python3 python3-venv qemu-system-x86 qemu-user-static redis-server util-linux xz-utils zsh";

const install = ["apt-get", "install", "-q", "-y", "--no-install-recommends", ...packages.split(" ")];

await runSuites(
  [
    { ...run("apt-get update", ["apt-get", "update", "-q"]), isNeeded: true },
    { ...run("apt-get install", ["env", "DEBIAN_FRONTEND=noninteractive", ...install]), isNeeded: true },
    { ...run("npm ci", ["npm", "ci"]), isNeeded: true },
    { ...run("compiled checks", ["node", "scripts/generate.mjs", "--validator-only"]), isNeeded: true },
    npm("build"),
    ci.fast,
    // Before a test runs beside it: two compilers leave no processor to anybody.
    run("components", ["node", "scripts/build-tools.mjs", "flux", "source-controller", "kubernetes-validation"]),
    ci.e2e,
    // Alone: it counts answers that are lost.
    ci.kernel,
    // Two guests of one processor each, whose tests are patient. What is beside them measures no time.
    [
      [
        npm("lint"),
        npm("lint:workflows"),
        npm("typecheck"),
        npm("hardening"),
        npm("supply-chain"),
        ci.registry,
        ci.site,
      ],
      ...ci.vm.map((step) => [step]),
    ],
    ...ci.nodes,
  ],
  ".cache/suites/ci",
);
