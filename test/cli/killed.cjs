// Preloaded: kills the process at the KILL_AT-th change that it makes to the file system, in the middle of a write; or says how many there were.
const fs = require("node:fs");

let changes = 0;
for (const name of ["mkdirSync", "writeFileSync", "renameSync", "rmSync", "rmdirSync"]) {
  const original = fs[name];
  fs[name] = (path, ...args) => {
    if (++changes < Number(process.env.KILL_AT)) return original(path, ...args);
    if (name === "writeFileSync") original(path, args[0].slice(0, args[0].length / 2));
    return process.kill(process.pid, "SIGKILL");
  };
}
process.on("exit", () => fs.writeSync(2, String(changes)));
