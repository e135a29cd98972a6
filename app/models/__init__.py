"""The tables. Importing this package makes `metadata` complete."""

from sqlmodel import SQLModel

from app.models.columns import Document, UTCDateTime
from app.models.games import DecisionMade, Draft, Game, GameSeat, GameState, LogEntry
from app.models.leagues import (
    Audit,
    Club,
    Division,
    Entry,
    Event,
    EventMessage,
    EventRound,
    Match,
    MatchSeat,
    Member,
    PairingJob,
    Rating,
    RatingChange,
    ReserveCall,
    Ruling,
    Season,
)
from app.models.people import AddressChange, Block, LoginToken, Player, SignIn, Webhook, WebhookCall
from app.models.post import MailRoute, OutboxMail
from app.models.tables import ChatMessage, Consent, Invitation, Note, PlannedLine, Proposal
from app.models.time import Case, ClockEvent, HolidayCalendar, Leave, Outage
from app.models.upkeep import Heartbeat, InstalledSet, RateCount

metadata = SQLModel.metadata

__all__ = [
    "AddressChange",
    "Audit",
    "Block",
    "Case",
    "ChatMessage",
    "ClockEvent",
    "Club",
    "Consent",
    "DecisionMade",
    "Division",
    "Document",
    "Draft",
    "Entry",
    "Event",
    "EventMessage",
    "EventRound",
    "Game",
    "GameSeat",
    "GameState",
    "Heartbeat",
    "HolidayCalendar",
    "InstalledSet",
    "Invitation",
    "Leave",
    "LogEntry",
    "LoginToken",
    "MailRoute",
    "Match",
    "MatchSeat",
    "Member",
    "Note",
    "Outage",
    "OutboxMail",
    "PairingJob",
    "PlannedLine",
    "Player",
    "Proposal",
    "RateCount",
    "Rating",
    "RatingChange",
    "ReserveCall",
    "Ruling",
    "Season",
    "SignIn",
    "UTCDateTime",
    "Webhook",
    "WebhookCall",
    "metadata",
]
