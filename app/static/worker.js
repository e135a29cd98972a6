// Two things and no more: shows what the server tells this device, and pages as they were last seen when there is no
// network. OWN stands above: what is kept of ours.
const PAGES = "pages";
const VERSION = OWN.join();
const pages = () => caches.open(PAGES);
const path = (url) => new URL(url, location).pathname;

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(VERSION).then((own) => own.addAll(OWN)));
});

self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name !== PAGES && name !== VERSION) await caches.delete(name);
  await clients.claim();
  await keep(await fetch("/games")); // the list from which it was installed
})().catch(() => {})));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (!request.url.startsWith(location.origin)) return;
  const at = path(request.url);
  if (request.method !== "GET") {
    // Whoever signs in or out leaves nothing to the next one; a turn that is sent is not the last seen one any more.
    if (/^\/sign-(in|out)/.test(at)) event.waitUntil(caches.delete(PAGES));
    else if (request.mode === "navigate" && navigator.onLine) event.waitUntil(drop((kept, key) => key !== "/games" && at.startsWith(path(kept.url))));
  } else if (request.mode === "navigate") {
    const answer = fetch(request);
    event.respondWith(answer.catch(() => lastSeen(at)));
    event.waitUntil(answer.then((fresh) => keep(fresh.clone(), at), () => {}));
  } else if (at.startsWith("/static/")) {
    event.respondWith(fetch(request).catch(async () => (await caches.match(request)) ?? Response.error()));
  }
});

async function drop(which) {
  const kept = await pages();
  for (const key of await kept.keys()) if (which(await kept.match(key), path(key.url))) await kept.delete(key);
}

// Keeps a page that says so. The list says which turns still wait; where it is not shown, nobody is signed in.
async function keep(fresh, at) {
  const key = fresh.headers.get("Postroad-Keep");
  if (key && fresh.ok) {
    const list = key === "/games" && (await fresh.clone().text());
    await (await pages()).put(key, fresh);
    if (list) await drop((_, kept) => kept !== key && !list.includes(`"${kept}"`));
  } else if (at === "/games" && fresh.status < 500) await caches.delete(PAGES);
}

async function lastSeen(at) {
  const kept = await (await pages()).match(at);
  if (!kept) return (await caches.match("/offline")) ?? Response.error();
  const html = await kept.text();
  const how = { dateStyle: "medium", timeStyle: "short" };
  const moment = new Date(kept.headers.get("Date")).toLocaleString(/ lang="(\w+)"/.exec(html)[1], how);
  const told = decodeURIComponent(kept.headers.get("Postroad-Offline")).replace("{moment}", moment);
  const main = /<main[^>]*>/;
  return new Response(html.replace(main, (tag) => `${tag}<p class="no-mails" role="status">${told}</p>`), kept);
}

self.addEventListener("push", (event) => event.waitUntil((async () => {
  const { title, body, lang, link, tag, badge, close, number } = event.data.json();
  await (await pages()).delete(link); // a turn that is gone, or a new one
  if (badge) await navigator.setAppBadge?.(badge);
  else await navigator.clearAppBadge?.();
  if (close) {
    for (const shown of await registration.getNotifications({ tag })) if (!(shown.data.number > number)) shown.close();
  } else {
    const icons = { icon: "/icons/any-192.png", badge: "/icons/sign-96.png" };
    await registration.showNotification(title, { ...icons, body, lang, tag, renotify: true, data: { link, number } });
  }
})()));

// A subscription that was told and is lost or renewed (by the browser, or found so by a page): the server gets its new one.
async function tell() {
  const page = await (await fetch("/account/devices")).text();
  const [said, csrf_token] = [/ data-told="\w+" data-key="([^"]+)"/, / name="csrf_token" value="([^"]+)"/].map((one) => one.exec(page)?.[1]);
  if (!said) return; // nobody is signed in, or does not want it any more
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const { endpoint, keys } = (await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: said })).toJSON();
  const made = { csrf_token, endpoint, public_key: keys.p256dh, auth: keys.auth, server_key: said };
  await fetch("/account/devices", { method: "POST", body: new URLSearchParams(made), redirect: "manual" });
}
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(tell()));
self.addEventListener("message", (event) => event.waitUntil(tell()));

self.addEventListener("notificationclick", (event) => {
  const { link } = event.notification.data;
  event.notification.close();
  event.waitUntil((async () => {
    const [open] = await clients.matchAll({ type: "window" });
    await open.focus();
    await open.navigate(link);
  })().catch(() => clients.openWindow(link)));
});
