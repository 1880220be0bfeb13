// scripts/site.mjs puts the site's version and its files here.
const version = VERSION;
const files = FILES;

const base = new URL("./", self.location.href);

self.addEventListener("install", (event) => {
  const store = async () => {
    const cache = await caches.open(version);
    await cache.addAll(files.map((file) => new Request(new URL(file, base), { cache: "no-cache" })));
    await self.skipWaiting();
  };
  event.waitUntil(store());
});

self.addEventListener("activate", (event) => {
  const clean = async () => {
    for (const name of await caches.keys()) if (name !== version) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || !url.href.startsWith(base.href)) return;
  const answer = async () => {
    const cache = await caches.open(version);
    // `/docs/modes` is the file `docs/modes.html`.
    const path = url.pathname.slice(base.pathname.length);
    const names = [path, `${path}.html`, path.replace(/\/?$/, "/index.html").replace(/^\//, "")];
    for (const name of names) {
      const found = await cache.match(new URL(name, base));
      if (found) return found;
    }
    return fetch(event.request);
  };
  event.respondWith(answer());
});
