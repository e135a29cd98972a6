"""A plugin of pytest that keeps each mail which the tests have written: `mail_weight.py` asks for it.

POSTROAD_MAIL_SCALES=FILE pytest -p bench.mail_scales TESTS      FILE gets a line of JSON a mail
"""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path

from app.post.letters.writing import QueuedMail
from app.post.out import carrier
from app.post.out.sender import Sender

FILE = "POSTROAD_MAIL_SCALES"


def pytest_configure() -> None:
    """Make the writer of outgoing mails record them."""
    render, kept = carrier.render, Path(os.environ[FILE])

    def noted(sender: Sender, mail: QueuedMail, now: datetime) -> bytes | None:
        message = render(sender, mail, now)
        if message is not None:
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps([mail.kind, message.decode("ascii")]) + "\n")
        return message

    carrier.render = noted
