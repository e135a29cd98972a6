// Chooses without loading the page again: puts in the parts with data-swap.
(() => {
  const COMPOSING = /^(add|choose$|undo|clear)/;
  const find = (what, where = document) => where.querySelector(what);
  const words = (node) => (node ? node.innerText.replace(/\s+/g, " ").trim() : "");

  // What identifies a control across two drawings of the page.
  const mark = (node) =>
    !node || node === document.body ? null : { id: node.id, name: node.name, value: node.value, said: node.textContent, tag: node.tagName };
  const again = (was) => {
    if (!was) return null;
    if (was.id) return document.getElementById(was.id);
    return [...document.querySelectorAll(was.tag)].find(
      (one) => one.name === was.name && one.value === was.value && one.textContent === was.said,
    );
  };

  const sized = (size) => {
    const one = find(`.sizes [value="${size}"]`);
    if (one) one.checked = true;
  };

  const swap = (drawn) => {
    const was = mark(document.activeElement);
    const typed = find("#end-turn")?.checked;
    const board = find(".picture");
    const seen = board && [board.scrollLeft, board.scrollTop];
    const size = find(".sizes input:checked")?.value;
    for (const old of document.querySelectorAll("[data-swap]")) {
      const fresh = drawn.getElementById(old.id);
      if (fresh && fresh.outerHTML !== old.outerHTML) old.replaceWith(document.adoptNode(fresh));
    }
    sized(size);
    if (typed === false && find("#end-turn")) find("#end-turn").checked = false;
    document.title = drawn.title;
    const tray = find("#tray");
    const kept = again(was);
    if (kept) kept.focus({ preventScroll: true });
    else if (tray) find("#tray-head, #line").focus({ preventScroll: true });
    // The tray, or the strip of the board that a sheet at the lower edge is about.
    if (tray && getComputedStyle(tray).position !== "fixed") tray.scrollIntoView({ block: "nearest" });
    else if (tray) find("#board").scrollIntoView();
    else if (find(".taught")) scrollTo(0, 0);
    if (board && find(".picture") !== board) aim(find(".picture"), seen);
    const complaint = find("#complaint");
    if (complaint) complaint.scrollIntoView({ block: "center" });
    find("#told").textContent = words(find(".looked-at")) || words(tray ? find(".step, .asks, .caution, h3", tray) || tray : find("#draft-head ~ details summary"));
  };

  // A board as it was scrolled, what it is about clear of what stays at the edges: moved in its frame, then the page.
  const aim = (board, seen) => {
    const at = find(".aim", board);
    if (seen) board.scrollTo(...seen);
    if (!at) return;
    const top = find(".brand").getBoundingClientRect().bottom;
    const stays = [...document.querySelectorAll("#tray, #decide")].filter((one) => /fixed|sticky/.test(getComputedStyle(one).position));
    const bottom = Math.min(innerHeight, ...stays.map((one) => one.getBoundingClientRect().top || innerHeight));
    const off = (it, from, to) => (it < from + 44 || it > to - 44 ? it - (from + to) / 2 : 0);
    const frame = board.getBoundingClientRect();
    const box = at.getBoundingClientRect();
    board.scrollBy(off(box.left, frame.left, frame.right), off(box.top, Math.max(frame.top, top), Math.min(frame.bottom, bottom)));
    if (find("#tray")) scrollBy(0, off(at.getBoundingClientRect().top, top, bottom));
  };

  // The form, as if there were no script: `submit` leaves the button out that was pressed.
  const without = (button) => {
    const did = Object.assign(document.createElement("input"), { type: "hidden", name: button.name, value: button.value });
    find("#decide").append(did);
    find("#decide").submit();
  };

  let last = 0;
  const load = async (address, options, push, button) => {
    const mine = ++last;
    document.body.setAttribute("aria-busy", "true");
    try {
      let answer, page;
      try {
        answer = await fetch(address, { headers: { Accept: "text/html" }, ...options });
        page = await answer.text();
      } catch {
        return button ? without(button) : location.assign(address);
      }
      const drawn = new DOMParser().parseFromString(page, "text/html");
      if (mine !== last) return;
      if (!drawn.getElementById("told")) return location.assign(answer.url); // another page: the link has ended
      if (push) {
        const to = new URL(answer.url);
        if (!options || answer.redirected) history.pushState(null, "", to.pathname + to.search);
      }
      swap(drawn);
    } finally {
      document.body.removeAttribute("aria-busy");
    }
  };

  // What folds up is drawn when it is asked for.
  const unfold = async (to) => {
    try {
      const drawn = new DOMParser().parseFromString(await (await fetch(to)).text(), "text/html");
      find(to.hash).replaceWith(document.adoptNode(find(to.hash, drawn)));
      find(`${to.hash} summary`).focus();
    } catch {
      location.assign(to);
    }
  };

  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest(":is(main, #show-me) a[href]");
    if (!link || link.getAttribute("href").startsWith("#")) return;
    const here = new URL(find("#decide").action).pathname;
    const to = new URL(link.getAttribute("href"), location.href); // links of the map have no `pathname`
    if (to.pathname === here && to.searchParams.has("open")) {
      event.preventDefault();
      return unfold(to);
    }
    const chooses = to.search.startsWith("?at=") || (!to.search && to.hash === "#decide");
    if (!chooses || to.pathname !== here) return;
    event.preventDefault();
    load(here + to.search, null, true);
  });

  addEventListener("submit", (event) => {
    const button = event.submitter;
    if (event.target.id !== "decide" || !button || !COMPOSING.test(button.value)) return;
    event.preventDefault();
    const orders = find("#orders");
    load(event.target.action, { method: "POST", body: new FormData(event.target, button) }, true, button).then(() => {
      if (button.value === "add" && !find("#complaint")) orders.value = "";
    });
  });

  addEventListener("change", (event) => {
    if (!event.target.matches("#tray input[name=touch]")) return;
    const ticked = [...document.querySelectorAll("#tray input[name=touch]:checked")].map((one) => one.value);
    load(`?at=${[find("#decide input[name=at]").value, ...ticked].filter(Boolean).join(",")}`, null, true);
  });

  // Somebody reads: said once, of the first touch, key or scrolling. (That a page was fetched, programs do, too.)
  const signs = ["pointerdown", "keydown", "wheel", "touchmove"];
  const seen = () => {
    for (const sign of signs) removeEventListener(sign, seen);
    const form = find("#decide");
    const here = new URL(form.action).pathname;
    const mark = find("input[name=csrf_token]", form)?.value;
    if (mark && here.startsWith("/t/")) fetch(`${here}/seen`, { method: "POST", keepalive: true, body: new URLSearchParams({ csrf_token: mark }) }).catch(() => {});
  };
  for (const sign of signs) addEventListener(sign, seen, { passive: true });

  // The size of the board, as it was chosen on this device.
  try {
    sized(localStorage.board);
    addEventListener("change", ({ target }) => target.name === "size" && (localStorage.board = target.value));
  } catch {
    // nothing may be kept here
  }
  addEventListener("load", () => find(".picture") && aim(find(".picture")));

  addEventListener("popstate", () => load(location.pathname + location.search, null, false));

  // Keys: a letter for each kind of action, the first of its name that is free.
  const letters = () => {
    const taken = new Map();
    for (const link of document.querySelectorAll("#kinds .kinds a")) {
      const letter = [...words(link).toLowerCase()].find((one) => /\p{L}/u.test(one) && !taken.has(one));
      if (letter) taken.set(letter, link);
    }
    return taken;
  };
  const help = () => {
    const row = find("#kind-keys");
    if (!row) return;
    for (const old of document.querySelectorAll(".of-kind")) old.remove();
    for (const [letter, link] of letters()) {
      const line = row.cloneNode();
      line.removeAttribute("id");
      line.hidden = false;
      line.className = "of-kind";
      const key = document.createElement("dt");
      const name = document.createElement("dd");
      key.textContent = letter;
      name.textContent = link.firstChild.textContent.trim();
      line.append(key, name);
      row.before(line);
    }
    find("#keys").showModal();
  };
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.metaKey) return;
    if (event.key === "Enter" && event.ctrlKey) {
      event.preventDefault();
      (find("#tray .wax") || find("#decide .wax"))?.click();
      return;
    }
    if (event.ctrlKey || find("dialog[open]")) return;
    if (event.key === "Escape") return find("#tray .close")?.click();
    if (event.target.closest("textarea, select, input:not([type=checkbox], [type=radio])")) return;
    if (event.key === "Enter") {
      if (event.target.closest("a, button, summary, input")) return;
      const add = find("#tray .ink");
      if (add) event.preventDefault();
      add?.click();
      return;
    }
    const does = {
      "/": () => find("#orders").focus(),
      "?": help,
    }[event.key];
    const link = /^[1-9]$/.test(event.key)
      ? document.querySelectorAll("#hand .card a")[event.key - 1]
      : letters().get(event.key.toLowerCase());
    if (!does && !link) return;
    event.preventDefault();
    if (does) does();
    else link.click();
  });
})();
