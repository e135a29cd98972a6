// What the browser says of its time zone, offered where no zone has been chosen. Nothing is sent before somebody agrees.
(() => {
  const asks = document.querySelector("#zone");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const kept = { get: () => { try { return localStorage.getItem("zone"); } catch { return ""; } }, set: () => { try { localStorage.setItem("zone", zone); } catch { /* asked again */ } } };
  if (!asks || !zone || zone === "UTC" || kept.get() === zone) return;
  asks.querySelector("[name=zone]").value = zone;
  asks.querySelector("b").textContent = zone;
  asks.querySelector("[type=button]").addEventListener("click", () => {
    kept.set();
    asks.hidden = true;
  });
  asks.hidden = false;
})();
