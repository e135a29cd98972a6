// The arrow keys step through a replay; without scripts the links do.
addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("input, textarea, select, pre, .picture, .scroll")) return;
  const rel = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" }[event.key];
  const link = rel && document.querySelector(`nav a[rel="${rel}"]`);
  if (!link) return;
  event.preventDefault();
  link.click();
});
