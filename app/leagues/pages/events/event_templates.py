"""Templates of events: saving the terms of one, and deleting a template. `manage` starts events from them."""

from __future__ import annotations

from flask import Response

from app.leagues.events import event_templates
from app.leagues.pages.clubs import clubs as club_pages
from app.leagues.pages.common import reader_of
from app.leagues.pages.events.events import blueprint
from app.leagues.pages.events.manage import manage_page, new_form
from app.web import visit
from app.web.forms import Form, Id, Typed, answers, on_to
from app.web.reader import server


class KeepTermsForm(Form):
    """A name for a template."""

    template: Typed = ""


class ForgetTemplateForm(Form):
    """The template to delete."""

    forget: Id


@blueprint.post("/events/<number:event_id>/template")
@answers(KeepTermsForm, again=manage_page, where="template")
def keep_template(form: KeepTermsForm, event_id: int) -> Response:
    """Save the terms of the event as a template of the club."""
    event_templates.keep(server().database, event_id, reader_of(event_id), form.template, now=visit.now())
    return on_to("events.manage_page", "template-kept", event_id=event_id)


@club_pages.blueprint.post("/clubs/<slug>/templates/forget")
@answers(ForgetTemplateForm, again=new_form)
def forget_template(form: ForgetTemplateForm, slug: str) -> Response:
    """Delete a template."""
    me, club = visit.need_person(), club_pages.find_club(slug)
    event_templates.forget(server().database, club.id, me.id, form.forget, now=visit.now())
    return on_to("clubs.new_form", "template-forgotten", slug=slug)
