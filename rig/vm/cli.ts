import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { agentArchive } from "../cluster/agent-image";
import { buildImages } from "../cluster/images";
import { repositoryRoot } from "../repository";
import { buildTools } from "../tools";
import { fetchKernel, kernelNames, type KernelName } from "./kernel";
import { missingForVm } from "./requirements";
import { runInVm, type GuestWork } from "./vm";

const usage = `usage: npm run test:vm -- [--kernel ${kernelNames.join("|")}] [VITEST'S ARGUMENTS]`;

/** Runs vitest with `vitest.vm.config.mts` in a kernel of Debian's; the report that its arguments ask for comes to the machine. */
async function main(args: readonly string[]): Promise<number> {
  const [option, name, ...rest] = args;
  const chosen = option === "--kernel";
  const kernelName = (chosen ? name : "newest") as KernelName;
  if (!kernelNames.includes(kernelName)) throw new Error(usage);

  const missing = missingForVm();
  if (missing.length > 0) {
    console.warn(`VM tests are skipped: they need ${missing.join(", ")}`);
    return process.env["CI"] === "true" ? 1 : 0; // there, every test has what it needs
  }
  const progress = (what: string) => console.error(what);
  await buildTools(progress, ["coredns", "kubernetes", "containerd", "runc"]);
  await buildImages(progress);
  await agentArchive();
  const kernel = await fetchKernel(kernelName, progress);
  console.error(`starting Linux ${kernel.release}`);
  return runInVm(kernel, vitest(chosen ? rest : args));
}

function vitest(args: readonly string[]): GuestWork {
  const option = "--outputFile.json=";
  const wanted = args.find((arg) => arg.startsWith(option))?.slice(option.length);
  const report = (share: string) => join(share, "report.json");
  return {
    script(share) {
      const own = args.map((arg) => (arg.startsWith(option) ? option + report(share) : arg));
      const program = [process.execPath, "node_modules/vitest/vitest.mjs", "run", "--config", "vitest.vm.config.mts"];
      const env = Object.entries(process.env).flatMap(([name, value = ""]) =>
        /^(CI|NO_COLOR|CLUSTER_DNS_\w+)$/.test(name) ? [`${name}=${value}`] : [],
      );
      return `cd ${quote(repositoryRoot)} && env ${[...env, ...program, ...own].map(quote).join(" ")}`;
    },
    collect(share) {
      if (wanted !== undefined && existsSync(report(share))) copyFileSync(report(share), wanted);
    },
    timeoutSeconds: 3600,
  };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);
