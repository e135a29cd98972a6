"""The game record: one game as JSON, exported from a log, verified by playing it again. Must not know any title.

Like PGN for chess, a record holds options, setup, the steps in the text notation with the outcomes of chance where the
rules need them, and after each turn the whole state.
"""

from engine.kernel.records.ending import ending, is_by_rules
from engine.kernel.records.export import export
from engine.kernel.records.form import (
    FORMAT,
    LARGEST,
    OUTSIDE_ENDS,
    VERSION,
    Entry,
    NotARecord,
    Played,
    Record,
    RecordRefused,
    from_data,
    load,
)
from engine.kernel.records.proof import Derived, check_played, derive, end_of, identity_of, opening_of, prove
from engine.kernel.records.proof_form import (
    SIDES,
    Place,
    PlayedGame,
    Proof,
    ProofFailed,
    players_of,
    read_played,
    read_proof,
    write_proof,
)
from engine.kernel.records.replay import Verified, as_begun, first_difference, replay, verify

__all__ = [
    "FORMAT",
    "LARGEST",
    "OUTSIDE_ENDS",
    "SIDES",
    "VERSION",
    "Derived",
    "Entry",
    "NotARecord",
    "Place",
    "Played",
    "PlayedGame",
    "Proof",
    "ProofFailed",
    "Record",
    "RecordRefused",
    "Verified",
    "as_begun",
    "check_played",
    "derive",
    "end_of",
    "ending",
    "export",
    "first_difference",
    "from_data",
    "identity_of",
    "is_by_rules",
    "load",
    "opening_of",
    "players_of",
    "prove",
    "read_played",
    "read_proof",
    "replay",
    "verify",
    "write_proof",
]
