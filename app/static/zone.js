// The time zone of the browser is that of whoever has chosen none: told once by itself, and offered where other times
// than those of the one that was told are shown in it. Browsers know zones by other names (Asia/Calcutta), so it is
// the times that are compared.
(() => {
  const asks = document.querySelector("#zone-asked");
  const kept = document.querySelector("#zone-kept");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const left = { get: () => { try { return localStorage.getItem("zone"); } catch { return ""; } }, set: () => { try { localStorage.setItem("zone", zone); } catch { /* asked again */ } } };
  const times = (timeZone) => [0, 3, 6, 9].map((month) => new Date(Date.UTC(2027, month)).toLocaleString("en", { timeZone })).join();
  const guessed = asks?.dataset.guessed;
  const alike = () => { try { return times(zone) === times(guessed); } catch { return zone === guessed; } };
  if (!asks || !zone || zone === "UTC" || left.get() === zone || (guessed && alike())) return;
  asks.querySelector("[name=zone]").value = zone;
  const field = document.querySelector("#main input[name=zone]"); // of a club that is being founded
  const show = (form) => {
    form.querySelector("b").textContent = zone;
    form.hidden = false;
  };
  if (!guessed) {
    const told = new FormData(asks);
    told.append("guessed", "yes");
    fetch(asks.action, { method: "POST", body: new URLSearchParams(told), redirect: "manual" })
      .then((answer) => {
        if (answer.type === "opaqueredirect") {
          if (field && field.value === field.defaultValue) field.value = zone;
          show(kept);
        } else if (answer.status === 204) left.set(); // a zone that the server does not know
      }, () => {});
    return;
  }
  asks.querySelector("[type=button]").addEventListener("click", () => {
    left.set();
    asks.hidden = true;
  });
  show(asks);
})();
