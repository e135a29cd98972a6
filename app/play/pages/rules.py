"""The rules of a title in a page, for titles that have written one."""

from __future__ import annotations

from flask import Blueprint, Response, abort, current_app
from jinja2 import TemplateNotFound

from app.titles.pages import pages_of
from app.titles.registry import TITLES
from app.web import visit

blueprint = Blueprint("rules", __name__)


@blueprint.get("/rules/<title_id>")
def rules(title_id: str) -> Response:
    """The rules as somebody needs them who has the turn page open."""
    name = f"titles/{title_id}/rules.html"
    try:
        current_app.jinja_env.get_template(name)
    except TemplateNotFound:
        abort(404)
    return visit.show(name, title=TITLES[title_id], **pages_of(title_id).rules_context())
