"""What can be done now, by kind of action, and what cannot be done and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.speech import Voice
    from app.web.turn_form import Filled
    from engine.kernel.title import Title


def kinds_of(
    title: Title, state: Any, seat: str, filled: Filled, voice: Voice
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What can be done now, by kind of action, and which kinds cannot be done and why."""
    due = title.decision(state)
    if due is None or due.seat != seat:
        return [], []
    kinds: dict[str, dict[str, Any]] = {}
    for item in title.legal(state):
        if hasattr(item, "smallest"):
            kind = _kind(kinds, item.kind)
            name = f"choice:{sum(len(other['choices']) for other in kinds.values())}"
            kind["choices"].append(
                {
                    "name": name,
                    "items": item.items,
                    "about": item.describe(),
                    "least": item.least,
                    "most": item.most,
                    "ticked": list(filled.items.get(name, ())),
                }
            )
            kind["open"] = kind["open"] or filled.pick == name or bool(filled.items.get(name))
        else:
            line = title.write(state, item)
            kind = _kind(kinds, line.partition(" ")[0])
            kind["options"].append({"line": line, "data": title.action_to_json(item)})
            kind["open"] = kind["open"] or filled.pick == line
    for kind in kinds.values():
        kind["count"] = len(kind["options"]) + len(kind["choices"])
    reasons: dict[tuple[str, str | None], list[str]] = {}
    for name, refusal in title.impossible(state):
        if name not in kinds:
            reasons.setdefault((voice.say(refusal.why), refusal.rule), []).append(name)
    impossible = [{"names": names, "why": why, "rule": rule} for (why, rule), names in reasons.items()]
    return list(kinds.values()), impossible


def _kind(kinds: dict[str, dict[str, Any]], name: str) -> dict[str, Any]:
    return kinds.setdefault(name, {"name": name, "options": [], "choices": [], "open": False})
