"""The audit trail in sentences: who did what to whom, and what it was before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session

from app.base.words.speech import FORMER_PLAYER, Voice, capital
from app.leagues.desk.act_changes import NamesOfActs, changes, invited_by
from app.leagues.tables import About, Audit
from engine.kernel.text import N_

ACTS = {
    "club.made": N_("{by} founded the club."),
    "club.changed": N_("{by} changed what the club says of itself."),
    "club.columns": N_("{by} changed the club’s own columns of its list of members."),
    "club.new_link": N_("{by} made a new joining link; the old one stopped working."),
    "club.announced": N_("{by} announced something to the club."),
    "club.announcement_down": N_("{by} took an announcement down."),
    "member.invited": N_("{by} invited {subject}."),
    "member.imported": N_("{by} invited {n} people from a list."),
    "member.joined": N_("{subject} joined the club."),
    "member.asked": N_("{subject} asked to join."),
    "member.took_back": N_("{subject} took the request to join back."),
    "member.admitted": N_("{by} took {subject} in, who had asked to join."),
    "member.not_admitted": N_("{by} declined the request of {subject} to join."),
    "member.declined": N_("{subject} declined the invitation."),
    "member.role": N_("{by} gave {subject} another role."),
    "member.out": N_("{by} took {subject} out of all events of the club."),
    "member.back": N_("{by} let {subject} come back into the events of the club."),
    "member.left": N_("{by} took {subject} out of the club."),
    "member.banned": N_("{by} banned {subject} from the club."),
    "member.unbanned": N_("{by} lifted the ban of {subject}."),
    "member.renamed": N_("{by} corrected the name of {subject}."),
    "club_match.invited": N_("{by} invited the club {subject} to a match."),
    "club_match.accepted": N_("{by} accepted the match for the club {subject}."),
    "club_match.declined": N_("{by} declined the match for the club {subject}."),
    "club_match.withdrawn": N_("{by} took the invitation of the club {subject} back."),
    "club_match.referee": N_("{by} named a referee of the match: {subject}."),
    "club_match.no_referee": N_("{by} named no referee of the match any more."),
    "club_match.laid_down": N_("{by} does not want to be the referee of the match."),
    "club_match.ready": N_("{by} said that the team {subject} is ready."),
    "event.made": N_("{by} prepared the event."),
    "event.changed": N_("{by} changed the terms of the event."),
    "event.sign_up": N_("{by} opened sign-up."),
    "event.running": N_("{by} started the event."),
    "event.over": N_("{by} ended the event."),
    "event.standings": N_("These are the final standings."),
    "event.cancelled": N_("{by} cancelled the event."),
    "entry.held": N_("{subject} leaves; the place is held while reserves are asked."),
    "event.back": N_("{by} took a step of the event back."),
    "round.unpublished": N_("{by} took round {n} back: it is a draft again."),
    "event.thrown_away": N_("{by} threw the sketch {subject} away."),
    "event.divided": N_("{by} put players into divisions."),
    "event.from_file": N_("{by} took players and rounds from a FIDE report file."),
    "event.numbers": N_("{by} set the pairing numbers."),
    "event.divisions": N_("{by} changed the divisions."),
    "event.message": N_("{by} wrote to everybody in the event."),
    "template.kept": N_("{by} kept the terms as a template of the club: {subject}."),
    "template.forgotten": N_("{by} threw the template “{subject}” away."),
    "season.again": N_("{subject} plays the next season."),
    "season.not_again": N_("{subject} does not play the next season."),
    "season.drafted": N_("{by} sketched the next season: {subject}."),
    "results.imported": N_("{by} took the earlier results of “{subject}” from a list."),
    "season.imported": N_("{by} took the tables of the season “{subject}” from a list."),
    "season.forgotten": N_("{by} took the tables of the season “{subject}” out again."),
    "ladder.challenged": N_("{by} challenged {subject}."),
    "ladder.declined": N_("{by} declined the challenge of {subject}."),
    "ladder.taken_back": N_("{by} took back the challenge to {subject}."),
    "entry.made": N_("{by} entered {subject}."),
    "entry.late": N_("{by} took {subject} in after the start."),
    "event.reminded": N_("Members who had not answered were asked again."),
    "entry.declined": N_("{subject} does not play this time."),
    "entry.reserve": N_("{subject} came as a reserve."),
    "entry.rounds_off": N_("{by} changed the rounds off of {subject}."),
    "entry.withdrawn": N_("{by} took {subject} out of the event."),
    "team.entered": N_("{by} entered the team {subject}."),
    "team.changed": N_("{by} changed the team {subject}."),
    "team.removed": N_("{by} took the team {subject} out."),
    "team.captain": N_("{by} named another captain of {subject}."),
    "team.captain_follows": N_("The captain of {subject} has left."),
    "team.line_up": N_("{by} chose the line-up of {subject}."),
    "team.substituted": N_("{by} sent a substitute into a running game of {subject}."),
    "round.pairing_asked": N_("{by} had the pairing of round {n} worked out."),
    "round.pairing_stopped": N_("{by} stopped the pairing of round {n}."),
    "round.pairing_failed": N_("Round {n} could not be paired."),
    "round.paired": N_("{by} paired round {n} as a draft."),
    "round.edited": N_("{by} changed the draft of round {n} by hand."),
    "round.discarded": N_("{by} threw the draft of round {n} away."),
    "round.published": N_("{by} published round {n}."),
    "round.hour": N_("{by} named the hour at which round {n} is published."),
    "round.hour_off": N_("{by} called off the hour at which round {n} is published."),
    "round.closed": N_("{by} closed round {n}."),
    "round.reminded": N_("The players of round {n} were reminded of its end."),
    "round.longer": N_("Round {n} goes on for some days more."),
    "round.end": N_("Round {n} ended while the game {game} was still running."),
    "round.followed": N_("Round {n} has other games now, since a result before it is another one."),
    "finals.stay": N_("The finals stay as they are, although a result of the groups is another one: games have begun."),
    "round.extra": N_("{by} started deciding games in round {n}."),
    "autopilot.paused": N_("{by} paused the autopilot."),
    "autopilot.resumed": N_("{by} let the autopilot go on."),
    "autopilot.sign_up_closed": N_("Sign-up closed."),
    "autopilot.drafted": N_("The organisers were shown the draft of round {n}."),
    "autopilot.asks": N_("The autopilot asked the organisers to look at something."),
    "match.over": N_("The game {game} is over."),
    "match.void": N_("The game {game} was cancelled and counts for nobody."),
    "ruling.opened": N_("{by} asked for a ruling in the game {game}."),
    "ruling.said": N_("{by} said something before the ruling in the game {game}."),
    "ruling.decided": N_("{by} ruled in the game {game}."),
    "ruling.appealed": N_("{by} appealed against the ruling in the game {game}."),
    "ruling.final": N_("{by} decided the appeal in the game {game}."),
    "ruling.closed": N_("{by} closed the ruling in the game {game}; the event was cancelled."),
    "ruling.answered": N_("The ruling in the game {game} is closed: the game has its result."),
    "ruling.undone": N_("{by} took back the ruling in the game {game}."),
    "desk.nudged": N_("{by} nudged the player who has to move in the game {game}."),
    "desk.extended": N_("{by} gave more time in the game {game}."),
    "desk.leave": N_("{by} granted leave to the player who has to move in the game {game}."),
    "desk.sent_again": N_("{by} had the mail about the game {game} sent again."),
    "desk.reported": N_("{by} recorded the result of game {game}."),
    "desk.undone": N_("{by} took back what was done in the game {game}."),
    "reserve.called": N_("{by} called a reserve for the seats of {subject}."),
    "reserve.accepted": N_("{by} came in as a reserve for {subject}."),
    "reserve.declined": N_("A reserve declined the seats of {subject}."),
    "reserve.expired": N_("A reserve did not answer in time about the seats of {subject}."),
    "reserve.withdrawn": N_("{by} took back the call of a reserve for {subject}."),
}
"""For each act of `Acting.write` its sentence: `by` did it (or the server), to `subject` (a person, or a name that was
given), in round `n`, in a `game` named by its players."""
OF_THEIR_OWN = {
    "member.left": N_("{by} left the club."),
    "entry.made": N_("{by} signed up."),
    "entry.rounds_off": N_("{by} changed their own rounds off."),
    "entry.withdrawn": N_("{by} left the event."),
}
"""Acts that players can do to themselves as organisers can do to them."""
WRITTEN_TO = {
    About.LATE: N_("{by} wrote to the players who are late."),
    About.SILENT: N_("{by} wrote to the players who are silent."),
    About.DIVISION: N_("{by} wrote to the division “{subject}”."),
}


@dataclass(frozen=True, slots=True)
class Said:
    """An act as people read it; `changes` are (what, before, after), with an empty string for nothing."""

    what: str
    changes: tuple[tuple[str, str, str], ...]


class AuditSentences:
    """Writes acts as sentences. Looks up the people, games and divisions once for all of them."""

    def __init__(self, session: Session, acts: Sequence[Audit], voice: Voice) -> None:
        self.voice = voice
        self._known = NamesOfActs(session, acts, voice)

    def say(self, act: Audit) -> Said:
        """Return the sentence of an act, and what it changed."""
        voice, known = self.voice, self._known
        by = act.by or (voice.gettext("the server") if act.by_id is None else voice.gettext(FORMER_PLAYER))
        player, subject = known.person(act)
        sentence = ACTS[act.act]
        if act.by_id is not None and player == act.by_id:
            sentence = OF_THEIR_OWN.get(act.act, sentence)
        if act.act == "event.message" and act.about is not None:
            sentence = WRITTEN_TO.get(act.about, sentence)
        if act.about == About.DIVISION:
            subject = known.divisions.get(act.about_number or 0) or voice.gettext("now gone")
        n = str(len(invited_by(act))) if act.act == "member.imported" else known.round(act)
        what = voice.gettext(sentence, by=by, subject=subject or act.subject, n=n, game=known.game(act))
        return Said(capital(what), tuple(changes(act, known)))
