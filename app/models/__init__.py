"""The tables. Importing this package makes `metadata` complete."""

from sqlmodel import SQLModel

from app.models.columns import Document, UTCDateTime
from app.models.games import DecisionMade, Draft, Game, GameSeat, GameState, LogEntry
from app.models.people import AddressChange, LoginToken, Player, SignIn
from app.models.post import OutboxMail
from app.models.tables import ChatMessage, Consent, Invitation, Note, Proposal
from app.models.upkeep import Heartbeat, InstalledSet, RateCount

metadata = SQLModel.metadata

__all__ = [
    "AddressChange",
    "ChatMessage",
    "Consent",
    "DecisionMade",
    "Document",
    "Draft",
    "Game",
    "GameSeat",
    "GameState",
    "Heartbeat",
    "InstalledSet",
    "Invitation",
    "LogEntry",
    "LoginToken",
    "Note",
    "OutboxMail",
    "Player",
    "Proposal",
    "RateCount",
    "SignIn",
    "UTCDateTime",
    "metadata",
]
