import { createServer, type Server } from "node:http";
import { existsSync, readFileSync, statSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const types: { readonly [extension: string]: string } = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".woff2": "font/woff2",
};

/** A built site on loopback, as GitHub Pages serves it: `/docs/modes` is `docs/modes.html`. */
export class SiteServer {
  /** The paths that were asked for. */
  readonly asked: string[] = [];
  private readonly server: Server;

  constructor(folder: string) {
    this.server = createServer((request, response) => {
      const path = decodeURIComponent(new URL(request.url ?? "/", "http://site").pathname);
      this.asked.push(path);
      const base = join(folder, normalize(path));
      const file = [base, `${base}.html`, join(base, "index.html")].find(
        (each) => existsSync(each) && statSync(each).isFile(),
      );
      response.writeHead(file ? 200 : 404, { "content-type": types[extname(file ?? ".html")] ?? "text/plain" });
      response.end(readFileSync(file ?? join(folder, "404.html")));
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
