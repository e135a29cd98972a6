// Steps through a replay without loading the page again: puts in what a step changes, so that the page stays where it
// is and what is new on the board appears. Arrow keys do the same, and a button plays the steps to the last one.
// Without scripts the links lead from page to page.
(() => {
  const PACE = 1600;
  const find = (what, where = document) => where.querySelector(what);
  const way = (name) => find(`.steps-nav a[data-way="${name}"]`);
  const onward = () => way("after") || way("next");
  let last = 0;
  let playing = 0;

  // Everything that the board did not have before.
  const fresh = (old, drawn) => {
    const had = new Set([...old.querySelectorAll("svg *")].map((one) => one.outerHTML));
    return [...drawn.querySelectorAll("svg > *, svg > g > *")].filter((one) => !had.has(one.outerHTML) && !find("defs", one));
  };

  const ready = () => {
    const plays = find(".plays");
    if (!plays) return;
    plays.hidden = false;
    const button = find("button", plays);
    button.setAttribute("aria-pressed", String(playing > 0));
    button.disabled = !onward();
  };

  const put = (drawn) => {
    const focus = document.activeElement;
    const name = focus?.closest(".plays") ? "plays" : focus?.dataset.way;
    const size = find(".sizes input:checked")?.value;
    const board = find(".picture");
    const seen = board && [board.scrollLeft, board.scrollTop];
    const main = document.adoptNode(find("#main", drawn));
    if (board) for (const one of fresh(board, main)) one.classList.add("appears");
    find("#main").replaceChildren(...main.childNodes);
    document.title = drawn.title;
    if (size) find(`.sizes [value=${size}]`).checked = true;
    if (seen) find(".picture").scrollTo(...seen);
    ready();
    (name === "plays" ? find(".plays button") : name && way(name))?.focus({ preventScroll: true });
  };

  const load = async (address, push) => {
    const mine = ++last;
    try {
      const answer = await fetch(address, { headers: { Accept: "text/html" } });
      const drawn = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (mine !== last) return;
      if (!find(".steps-nav", drawn)) return location.assign(address);
      if (push) history.pushState(null, "", address);
      put(drawn);
    } catch {
      location.assign(address);
    }
  };

  const stop = () => {
    clearTimeout(playing);
    playing = 0;
    ready();
  };
  const play = async () => {
    const link = onward();
    if (!link) return stop();
    playing = setTimeout(play, PACE);
    await load(link.href, true);
    if (playing && !onward()) stop();
  };

  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (event.target.closest(".plays")) return playing ? stop() : play();
    const link = event.target.closest(".steps-nav a[data-way]");
    if (!link) return;
    event.preventDefault();
    if (playing) stop();
    load(link.href, true);
  });
  addEventListener("popstate", () => load(location.href, false));
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("input, textarea, select, pre, .picture, .scroll")) return;
    const name = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" }[event.key];
    const link = name && way(name);
    if (!link) return;
    event.preventDefault();
    link.click();
  });
  ready();
})();
