// The step of action.yml: compares the cluster files with `dist/` of the branch that a pull request is for, and says it in
// one comment of the pull request, which each push replaces. `cdk8s-cluster-dns` is the one that the repository installs.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { CLUSTERS, OUT, BASE, PULL_REQUEST, GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL } = process.env;

/** By which the comment is found again. */
const marker = "<!-- cdk8s-cluster-dns diff -->";
/** The longest comment that GitHub takes, in characters. */
const longest = 65_536;

if (!PULL_REQUEST) throw new Error("there is no pull request: run it `on: pull_request`");
const comments = `repos/${GITHUB_REPOSITORY}/issues/${PULL_REQUEST}/comments`;
const body = `${marker}\n${shortened(diff())}`;
const earlier = await findComment();
if (earlier) await call("PATCH", `repos/${GITHUB_REPOSITORY}/issues/comments/${earlier.id}`, { body });
else await call("POST", comments, { body });

function diff() {
  const before = mkdtempSync(join(tmpdir(), "before-"));
  try {
    execFileSync("git", ["fetch", "--quiet", "--depth", "1", "origin", BASE], { stdio: "inherit" });
    const archive = execFileSync("git", ["archive", "FETCH_HEAD"], { maxBuffer: 2 ** 30 });
    execFileSync("tar", ["-x", "-C", before], { input: archive });
    const args = ["diff", "--clusters", CLUSTERS, "--out", join(before, OUT), "--format", "markdown"];
    return execFileSync("npx", ["--no-install", "cdk8s-cluster-dns", ...args], {
      encoding: "utf8",
      maxBuffer: 2 ** 30,
      stdio: ["ignore", "pipe", "inherit"],
    });
  } finally {
    rmSync(before, { recursive: true });
  }
}

function shortened(text) {
  const ofBlock = "\n```\n\n</details>";
  const rest = "\n\n(and more: run `npx cdk8s-cluster-dns diff`)\n";
  const room = longest - marker.length - 1;
  if (text.length <= room) return text;
  const start = text.slice(0, text.lastIndexOf("\n", room - ofBlock.length - rest.length));
  const isInBlock = (start.match(/^```/gm) ?? []).length % 2 === 1;
  return start + (isInBlock ? ofBlock : "") + rest;
}

async function findComment() {
  for (let page = 1; ; page += 1) {
    const found = await call("GET", `${comments}?per_page=100&page=${page}`);
    const own = found.find(({ body: text = "" }) => text.startsWith(marker));
    if (own || found.length < 100) return own;
  }
}

async function call(method, path, sent) {
  const response = await fetch(`${GITHUB_API_URL}/${path}`, {
    method,
    headers: { authorization: `Bearer ${GITHUB_TOKEN}`, accept: "application/vnd.github+json" },
    ...(sent && { body: JSON.stringify(sent) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
