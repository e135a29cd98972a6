"""The announcements of a club: its page, the form for those who run it, and the feed."""

from __future__ import annotations

from flask import Response, request, url_for

from app.account.pages.atom import Feed
from app.base.words.speech import Voice
from app.leagues.clubs import announcements, audit, club_rights
from app.leagues.clubs.announcements import LONGEST_SUBJECT, LONGEST_TEXT, read_message
from app.leagues.desk import messages
from app.leagues.pages.clubs.public import acting_at, blueprint, club_for, reading_club
from app.leagues.pages.common import once
from app.web import visit
from app.web.forms import Field, Form, Id, ShownForm, Tick, Typed, answers, on_to
from app.web.public import public
from app.web.reader import server
from engine.kernel.text import N_


class AnnouncementForm(Form):
    """An announcement, to preview or (`send`) to send."""

    step: Typed = ""
    once: Typed = ""
    to: Typed = Field("club", title=N_("For whom"))
    subject: Typed = Field("", title=N_("Subject"))
    text: Typed = Field("", title=N_("Text"))
    is_public: Tick = Field(title=N_("Everybody can read it on the page of the club, not only members"))
    mails: Tick = Field(title=N_("It also goes out by mail to members who want news"))


class TakeDownForm(Form):
    """The announcement to take down."""

    announcement: Id


SAID = {"subject", "text", "is_public", "mails"}
"""The content of an announcement, and how it is published."""


@blueprint.get("/clubs/<slug>/news")
def news_page(slug: str) -> Response:
    """Show the announcements the reader may read; to those who run the club also a form for a new one, or for a letter
    to those who are silent (`?to=silent`)."""
    return _page(slug, AnnouncementForm.shown(mails=True, to=request.args.get("to", "club")))


def _page(slug: str, form: ShownForm, preview: tuple[str, str] | None = None) -> Response:
    voice, silent = visit.voice(), list[str]()
    with reading_club(slug, None) as (session, club, role):
        me = visit.person(session)
        found = announcements.of_club(session, club.id, is_member=role is not None)
        may_write = club_rights.may(role, announcements.NEEDED)
        count = len(announcements.recipients(session, club.id, me.id)) if me and may_write else 0
        if may_write:
            there = messages.silent_in_club(session, club.id, visit.now()).values()
            silent = [voice.person(one.name) for people in there for one in people]
    return visit.show(
        "leagues/clubs/news.html",
        club=club,
        role=role,
        found=[(row, voice.person(name)) for row, name in found],
        may_write=may_write,
        count=count,
        silent=silent,
        form=form,
        preview=preview,
        once=once(),
        longest=(LONGEST_SUBJECT, LONGEST_TEXT),
    )


@blueprint.post("/clubs/<slug>/news")
@answers(AnnouncementForm, again=news_page)
def announce(form: AnnouncementForm, slug: str) -> Response:
    """Show the announcement as it would appear, or send it; the same form sends it once."""
    me = visit.need_person()
    with server().database.read() as session:
        club, _ = club_for(session, slug, announcements.NEEDED)
    if form.step != "send":
        return _page(slug, AnnouncementForm.shown(**form.model_dump()), read_message(form.subject, form.text))
    token, said = audit.read_token(form.once), form.model_dump(include=SAID)
    if form.to == "silent":
        letter = (form.subject, form.text)
        messages.send_to_silent(server().database, club.id, me.id, *letter, token=token, now=visit.now())
        return on_to(".news_page", "letter-sent", slug=slug)
    announcements.announce(server().database, club.id, me.id, **said, token=token, now=visit.now())
    return on_to(".news_page", "announced", slug=slug)


@blueprint.post("/clubs/<slug>/news/down")
@answers(TakeDownForm, again=news_page)
def take_announcement_down(form: TakeDownForm, slug: str) -> Response:
    """Take an announcement down."""
    announcements.take_down(*acting_at(slug), form.announcement, now=visit.now())
    return on_to(".news_page", "announcement-down", slug=slug)


@blueprint.get("/clubs/<slug>/news.atom")
@public
def news_atom(slug: str) -> Response:
    """The public announcements (RFC 4287)."""
    with reading_club(slug, None) as (session, club, _):
        found = announcements.of_club(session, club.id, is_member=False)
    voice = Voice(club.language, club.zone)
    feed = Feed(
        voice,
        f"club/{club.id}/news",
        voice.gettext("Announcements of %(club)s", club=club.name),
        updated=found[0][0].at if found else None,
        self_address=f"{server().config.base_url}{url_for('.news_atom', slug=slug)}",
        page=url_for(".news_page", slug=club.slug),
    )
    for row, _ in found:
        page = url_for(".news_page", slug=club.slug, _anchor=f"n{row.id}")
        feed.entry(f"announcement/{row.id}", row.at, row.subject, row.text, page)
    return Response(feed.written(), mimetype="application/atom+xml")
