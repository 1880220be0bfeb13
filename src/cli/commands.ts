import type { Commands } from "./command";
import { start, version } from "./start";

const commands: Commands = {
  synth: () => import("./synth.js"),
  diff: () => import("./diff.js"),
  explain: () => import("./explain.js"),
  preflight: () => import("./preflight.js"),
  doctor: () => import("./doctor.js"),
  init: () => import("./init.js"),
  leave: () => import("./leave.js"),
  version: async () => ({ command: (await import("./version.js")).versionCommand(version()) }),
  completion: async () => ({ command: (await import("./completion.js")).completionCommand(commands) }),
};

void start(commands);
