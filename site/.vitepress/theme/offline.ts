// Keeps the whole site, so that pages, search and editor work without a network once one page was loaded.
if (!import.meta.env.SSR && import.meta.env.PROD && "serviceWorker" in navigator)
  void navigator.serviceWorker.register(`${import.meta.env.BASE_URL}offline.js`).catch(() => {
    // Such as in a private window: the site works, with a network.
  });
