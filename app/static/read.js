// New messages are read once their end has stood in sight: the form is sent, and the marks go, in the menu as the server says.
(() => {
  const form = document.querySelector("#read");
  const watch = new IntersectionObserver(async (seen) => {
    if (!seen.some((one) => one.isIntersecting)) return;
    watch.disconnect();
    try {
      const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!answer.ok || page.querySelector("#read")) return;
      document.querySelector(".menu").replaceWith(page.querySelector(".menu"));
      for (const mark of document.querySelectorAll("#chat .mark")) mark.remove();
      form.hidden = true;
    } catch {
      // no network for a moment: the button is there
    }
  }, { threshold: 1 });
  watch.observe(form);
})();
