import type { TestProject } from "vitest/node";
import { consoleProgress } from "../../rig/progress";
import { buildTools } from "../../rig/tools";
import { casesAboutNames, departures } from "./lib/kubernetes-suite/cases";
import { suiteImage } from "./lib/kubernetes-suite/image";

declare module "vitest" {
  interface ProvidedContext {
    /** The archive of the image that the pods of Kubernetes' own suite run. */
    suiteImage: string;
    casesAboutNames: readonly string[];
  }
}

/** Builds Kubernetes' own suite before the files are loaded, which have a test for each of its cases. */
export default async function setup(project: TestProject): Promise<void> {
  await buildTools(consoleProgress(), ["coredns", "kubernetes-suite"]);
  const cases = await casesAboutNames();
  const unknown = departures().filter((name) => !cases.includes(name));
  if (unknown.length > 0)
    throw new Error(["docs/kubernetes-suite.md names cases that the suite has not:", ...unknown].join("\n- "));
  project.provide("suiteImage", await suiteImage());
  project.provide("casesAboutNames", cases);
}
