"""The tables of clubs and leagues, by subject. Must not know what is done with their rows."""

from app.leagues.tables.club_matches import ClubMatch, InvitationStatus
from app.leagues.tables.clubs import (
    Announcement,
    Club,
    JoinRequest,
    Member,
    MemberNote,
    MemberStatus,
    PastPlace,
    Role,
    Season,
)
from app.leagues.tables.events import (
    STILL_IN,
    Competition,
    CompetitionStatus,
    Division,
    Entrant,
    EntrantStatus,
)
from app.leagues.tables.ratings import Rating, RatingChange
from app.leagues.tables.rounds import (
    CompetitionRound,
    JobState,
    JobStep,
    Match,
    MatchSeat,
    PairingJob,
    RoundStatus,
    Source,
)
from app.leagues.tables.rulings import CallStatus, ReserveCall, Ruling, RulingDecision, RulingStatus
from app.leagues.tables.teams import LineUpPlace, MatchOfTeams, Team, TeamBoard, TeamPlayer
from app.leagues.tables.trail import About, Audit, CompetitionMessage

__all__ = [
    "STILL_IN",
    "About",
    "Announcement",
    "Audit",
    "CallStatus",
    "Club",
    "ClubMatch",
    "Competition",
    "CompetitionMessage",
    "CompetitionRound",
    "CompetitionStatus",
    "Division",
    "Entrant",
    "EntrantStatus",
    "InvitationStatus",
    "JobState",
    "JobStep",
    "JoinRequest",
    "LineUpPlace",
    "Match",
    "MatchOfTeams",
    "MatchSeat",
    "Member",
    "MemberNote",
    "MemberStatus",
    "PairingJob",
    "PastPlace",
    "Rating",
    "RatingChange",
    "ReserveCall",
    "Role",
    "RoundStatus",
    "Ruling",
    "RulingDecision",
    "RulingStatus",
    "Season",
    "Source",
    "Team",
    "TeamBoard",
    "TeamPlayer",
]
