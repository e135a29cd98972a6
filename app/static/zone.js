// The time zone of the browser is that of whoever has chosen none: told once by itself, and offered where it is another
// than the one that was told.
(() => {
  const asks = document.querySelector("#zone");
  const kept = document.querySelector("#zone-kept");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!asks || !zone || zone === "UTC" || zone === asks.dataset.guessed) return;
  asks.querySelector("[name=zone]").value = zone;
  const show = (form) => {
    form.querySelector("b").textContent = zone;
    form.hidden = false;
  };
  if (!asks.dataset.guessed) {
    const told = new FormData(asks);
    told.append("guessed", "yes");
    fetch(asks.action, { method: "POST", body: new URLSearchParams(told), redirect: "manual" })
      .then((answer) => { if (answer.type === "opaqueredirect" || answer.ok) show(kept); }, () => {});
    return;
  }
  const left = { get: () => { try { return localStorage.getItem("zone"); } catch { return ""; } }, set: () => { try { localStorage.setItem("zone", zone); } catch { /* asked again */ } } };
  if (left.get() === zone) return;
  asks.querySelector("[type=button]").addEventListener("click", () => {
    left.set();
    asks.hidden = true;
  });
  show(asks);
})();
