"""The page of a turn, its JSON, and what a turn link opens. They must not judge by any rule."""
