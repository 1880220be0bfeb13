// Preloaded: files can be created, but nothing can be written into them.
const fs = require("node:fs");

const original = fs.writeFileSync;
fs.writeFileSync = (path, _contents, ...args) => {
  original(path, "", ...args);
  throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });
};
