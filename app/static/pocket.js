// Installs the worker; takes notifications back whose games do not wait any more; lets this device be told.
(async (own) => {
  if (!("serviceWorker" in navigator)) return;
  const worker = await navigator.serviceWorker.register("/worker.js");
  const { waiting } = own.dataset;
  if (waiting !== undefined) {
    if (waiting === "0") navigator.clearAppBadge?.();
    else navigator.setAppBadge?.(Number(waiting));
    for (const shown of (await worker.getNotifications?.()) ?? []) {
      if (shown.tag.startsWith("game-") && !document.querySelector(`a[href="${shown.data?.link}"]`)) shown.close();
    }
  }
  if (!("Notification" in window) || !worker.pushManager) return;
  const { told, key } = own.dataset;
  if (told && Notification.permission === "granted" && (told === "False" || !(await worker.pushManager.getSubscription()))) {
    (await navigator.serviceWorker.ready).active.postMessage("tell");
  }
  const form = document.querySelector("#tell");
  if (!form) return;
  document.querySelector("#cannot").hidden = true;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const why = (id) => { form.querySelectorAll("[data-why]").forEach((one) => { one.hidden = one.dataset.why !== id; }); };
    why("");
    if ((await Notification.requestPermission()) !== "granted") return why("refused");
    try {
      await navigator.serviceWorker.ready;
      await (await worker.pushManager.getSubscription())?.unsubscribe();
      const made = (await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })).toJSON();
      form.elements.endpoint.value = made.endpoint;
      form.elements.public_key.value = made.keys.p256dh;
      form.elements.auth.value = made.keys.auth;
      form.elements.server_key.value = key;
    } catch {
      return why("failed");
    }
    form.submit();
  });
})(document.currentScript).catch(() => {}); // a page without it is as good
