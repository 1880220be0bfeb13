import { expect, it } from "vitest";
import { kubectl } from "../../src/config/kubectl";
import { throughKubectl } from "../../src/config/kubectl-proxy";
import { whyNotRun } from "../../src/config/why-not-run";

it("says that there is no kubectl", async () => {
  const path = process.env["PATH"];
  process.env["PATH"] = "/nowhere";
  try {
    const said = /^kubectl .*: there is no kubectl on the PATH; install it, or add its folder$/;
    expect(kubectl(["version"], undefined).failure).toMatch(said);
    await expect(throughKubectl("prod", async () => {})).rejects.toThrow(said);
  } finally {
    process.env["PATH"] = path;
  }
});

it("says how long it was waited for", () => {
  const error = Object.assign(new Error("spawnSync kubectl ETIMEDOUT"), { code: "ETIMEDOUT" });
  expect(whyNotRun(error, 120_000)).toBe("does not end within 120 s; does the context's API server answer?");
});
