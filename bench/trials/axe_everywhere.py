"""Checks every page in all languages, light and dark, with axe-core, and whether anything overflows.

    python -m bench.trials.axe_everywhere [--only WORDS] [--most N] [--languages en,fr] [--few]

The pages are those of `every_page`, at most N addresses of a kind for each visitor who sees something different there,
or with --few all moments and one of each kind. Each is opened on a phone with all its details open, checked light by
all rules and dark by those of colour (nothing else of a page depends on the scheme), and measured at the width of a
phone, of one whose reader has doubled the size of everything, and of a desktop. With --few the colours of each kind of
element, by its classes and those around it, are looked at once. Prints its findings and exits with 1; else what it
checked.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, Route

from app.upkeep import migrating
from tests.support.every_page import LANGUAGES, Sight, one_of_each, sights, speak
from tests.support.people import BASE
from tests.support.served import AXE, OUT, SIZES, browsing, overflow
from tests.support.world import World, world_at

COLOURS = ("color-contrast", "link-in-text-block")
ALL = {"resultTypes": ["violations"]}
OF_COLOUR = {"resultTypes": ["violations"], "runOnly": [*COLOURS]}
KINDS = """() => {
    window.kinds = new Map();
    const walk = (node, around) => {
        const chain = [...around.slice(-4), `${node.tagName}.${node.getAttribute('class') || ''}`];
        const kind = `${document.body.className} ${chain.join(' ')}`;
        if (!window.kinds.has(kind)) window.kinds.set(kind, []);
        window.kinds.get(kind).push(node);
        for (const child of node.children) walk(child, chain);
    };
    walk(document.body, []);
    return [...window.kinds.keys()];
}"""
"""The elements of a page by their classes and those of what they stand in: what styles know of them."""
JUDGED = """async ([kinds, options]) => {
    if (kinds) {
        for (const old of document.querySelectorAll("[data-new]")) old.removeAttribute("data-new")
        for (const kind of kinds) for (const node of window.kinds.get(kind)) node.setAttribute("data-new", "")
        axe.configure({rules: [{id: "color-contrast", selector: "[data-new]"},
                               {id: "link-in-text-block", selector: "a[href][data-new]"}]})
    }
    return (await axe.run(document, options)).violations
}"""
"""What the judge finds in a page; of colours in elements of some kinds alone, if they are given."""
TALL = """[...document.querySelectorAll('.turn .brand')].flatMap(head => {
    const line = head.querySelector('.news, #line'), high = line ? line.offsetHeight : 0
    return [head.offsetHeight - high > 68 && head.offsetHeight - high, high > 84 && high].filter(Boolean)
})"""
"""The heading above a turn takes two lines on a phone, not three, and the line below it three at most."""
PUSHED = """[...document.querySelectorAll(".scroll:has(> :is(.standings, .results))")]
    .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.getAttribute("aria-label"))"""
"""Standings and results whose last columns a phone does not show. (Crosstables are as wide as there are players.)"""
OPENED = f"""(() => {{
    document.querySelectorAll('details:not(.menu)').forEach(one => one.open = true)
    return [document.documentElement.lang, {OUT}, {PUSHED}, {TALL}]
}})()"""
"""Open all details; return the language, by how much the page is too wide, and the two above."""


class Onlooker:
    """Chromium in front of a world: one page, loaded without a server. With `few` it judges the colours of each kind
    of element once."""

    def __init__(self, world: World, browser: Browser, *, few: bool = False) -> None:
        self.world, self.said, self.few = world, list[str](), few
        self._judged_in: dict[str, set[str]] = {"light": set(), "dark": set()}
        context = browser.new_context(viewport=SIZES["phone"], color_scheme="light", reduced_motion="reduce")
        context.add_init_script(AXE)
        context.route("**/*", self._serve)
        context.on("console", lambda message: self.said.append(message.text))
        self.page: Page = context.new_page()
        self._still: dict[str, dict[str, object]] = {}
        self._shown: dict[str, object] = {}

    def _serve(self, route: Route) -> None:
        url = route.request.url
        if route.request.is_navigation_request():
            route.fulfill(**self._shown)  # type: ignore[arg-type]
            return
        if not url.startswith(BASE):
            self.said.append(f"asks {url}")
            route.abort()
            return
        if url not in self._still:
            with self.world.app.test_client().get(url.removeprefix(BASE)) as answer:
                self._still[url] = {"status": answer.status_code, "headers": dict(answer.headers), "body": answer.data}
        route.fulfill(**self._still[url])  # type: ignore[arg-type]

    def open(self, sight: Sight, language: str) -> None:
        """Load a page with all details open."""
        answer = sight.look(self.world, language)
        self._shown = {"status": answer.status_code, "headers": dict(answer.headers), "body": answer.data}
        self.page.set_viewport_size(SIZES["phone"])  # type: ignore[arg-type]
        self.page.emulate_media(color_scheme="light")
        self.page.goto(f"{BASE}/looked-at")

    def complaints(self, sight: Sight, language: str) -> Iterator[str]:
        """Return what is wrong with a page in a language."""
        self.said.clear()
        self.open(sight, language)
        spoken, out, pushed, tall = self.page.evaluate(OPENED)
        if spoken != language and "lang=" not in sight.name:
            yield f"is in {spoken}"
        if out > 0:
            yield f"sticks out by {out} on a phone"
        yield from (f"has to be pushed on a phone: {name}" for name in pushed)
        yield from (f"the head takes {high} px on a phone" for high in tall)
        yield from self._judged(ALL, self._new_kinds("light"))
        self.page.emulate_media(color_scheme="dark")
        if (new := self._new_kinds("dark")) != []:
            yield from (f"dark: {one}" for one in self._judged(OF_COLOUR, new))
        self.page.set_viewport_size({"width": SIZES["phone"]["width"] // 2, "height": SIZES["phone"]["height"]})
        if (out := overflow(self.page)) > 0:
            yield f"sticks out by {out} on a phone at twice the size"
        self.page.set_viewport_size(SIZES["desk"])  # type: ignore[arg-type]
        if (out := overflow(self.page)) > 0:
            yield f"sticks out by {out} on a desk"
        yield from (said for said in self.said if "status of 4" not in said)

    def _new_kinds(self, scheme: str) -> list[str] | None:
        """Return the kinds of elements that have not been seen yet in a scheme; None for all, without `few`."""
        if not self.few:
            return None
        known = self._judged_in[scheme]
        new = [kind for kind in self.page.evaluate(KINDS) if kind not in known]
        known.update(new)
        return new

    def _judged(self, options: dict[str, object], kinds: list[str] | None) -> list[str]:
        found = self.page.evaluate(JUDGED, [kinds, options])
        return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]]


def look_over(onlooker: Onlooker, pages: Iterable[tuple[Sight, str]]) -> Iterator[str]:
    """Return what is wrong with these pages in these languages; those of one language should be adjacent."""
    spoken = ""
    for sight, language in pages:
        if language != spoken:
            speak(onlooker.world, language)
            spoken = language
        for complaint in onlooker.complaints(sight, language):
            yield f"{sight.name} ({sight.rule}) in {language}: {complaint}"


@contextmanager
def busy_world() -> Iterator[World]:
    """Yield a world with its own database."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/postroad.db"
        migrating.upgrade(url)
        with world_at(Path(folder), url) as world:
            yield world


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="pages whose name or kind has these words")
    parser.add_argument("--most", type=int, default=2)
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    parser.add_argument("--few", action="store_true")
    told = parser.parse_args()
    began, complaints, looked = time.monotonic(), 0, 0
    with busy_world() as world, browsing() as browser:
        onlooker = Onlooker(world, browser, few=told.few)
        found = sights(world, told.most)
        chosen = one_of_each(found) if told.few else found
        pages = [one for one in chosen if told.only in f"{one.name} {one.rule}"]
        for language in told.languages.split(","):
            for complaint in look_over(onlooker, ((sight, language) for sight in pages)):
                complaints += 1
                print(complaint, flush=True)
            looked += len(pages)
            print(f"{language}: {len(pages)} pages, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{looked} pages of {len({one.rule for one in pages})} kinds, light and dark: {complaints} findings")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
