"""The operator's own pages, written as Markdown files."""

from __future__ import annotations

from pathlib import Path

from app.base.process.config import load
from app.server.factory import create_app
from tests.support.people import Browser

IMPRINT = (
    "# Imprint & more\n\nA club, *Main Street*.\n\n<script>x</script> [bad](javascript:alert) ![p](http://x/y.png)\n"
)


def test_pages_of_the_operator_stand_at_the_foot_in_the_language_of_the_reader(tmp_path: Path, sqlite_url: str) -> None:
    folder = tmp_path / "var" / "pages"
    folder.mkdir(parents=True)
    (folder / "imprint.md").write_text(IMPRINT)
    (folder / "imprint.fr.md").write_text("# Mentions légales\n\nUn club.")
    (folder / "broken.md").write_bytes(b"\xff\xfe# no text")
    (folder / "Not A Name.md").write_text("# Never")
    app = create_app(load({"POSTROAD_DATABASE_URL": sqlite_url}, tmp_path))
    stranger = Browser(app)
    front = stranger.get("/sign-in")
    assert 'href="/about/imprint">Imprint & more</a>' in front and "Never" not in front and "broken" not in front
    page = stranger.get("/about/imprint")
    assert "<em>Main Street</em>" in page
    html = stranger.page.get_data(as_text=True)
    assert "<script>x" not in html and 'href="javascript' not in html and 'src="http' not in html
    stranger.get("/about/broken", 404)
    stranger.get("/about/../secret_key", 404)
    french = Browser(app, "fr")
    assert "Mentions légales" in french.get("/sign-in") and "Un club." in french.get("/about/imprint")
    app.extensions["postroad"].database.close()
