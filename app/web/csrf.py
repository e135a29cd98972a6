"""The protection of forms against other sites; `factory` switches it on."""

from __future__ import annotations

from flask_wtf import CSRFProtect

csrf = CSRFProtect()
