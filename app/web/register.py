"""The pages that belong to no subject."""

from app.base.rooms import Room

ROOM = Room("app.web", pages=("pages", "languages", "looks", "own_pages", "pocket"))
