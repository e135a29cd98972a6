"""A lesson for New World: six turns of Red, with a town, a road, a farm, and stragglers."""

from __future__ import annotations

from app.titles.lessons import Lesson, LessonAct, LessonTurn
from engine.kernel.text import N_

LESSON = Lesson(
    seat="red",
    seats=("red", "blue"),
    chance={
        "bag": [
            ("nw-26", "nw-43", "nw-43", "nw-26", "nw-41", "nw-48"),
            ("nw-02", "nw-47", "nw-27", "nw-27", "nw-44", "nw-43", "nw-43"),
        ]
    },
    turns=(
        LessonTurn(
            acts=(
                LessonAct(
                    "place A54 90 trader",
                    N_(
                        "Here the tile closes a town, and a trader in a town that is closed scores at once. Lit cells"
                        " say what each place would bring."
                    ),
                ),
            ),
            answers=("place A52 90 robber",),
            told=N_(
                "You are Red. The coast lies in the east; everybody builds westward. Each turn you lay the tile you"
                " have drawn, and may put one of your five settlers on it."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "place A55 90 robber",
                    N_(
                        "Go on with the road and put a robber on it. He stays there until it is complete: an"
                        " investment, as you have few settlers."
                    ),
                ),
            ),
            answers=("place A51 90 trader",),
            told=N_(
                "The town was complete: 4 points, and the trader came home. After each scoring the surveyor furthest"
                " behind takes a step west."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "place B55 270 trader",
                    N_("The crossing ends your road, which counts at once; your trader begins a town in the west."),
                ),
            ),
            answers=("place B52 180",),
            told=N_(
                "The other side scored 8, not 4: each surveyor in the column of a settler that scores adds 4. Now"
                " both stand in the column of your robber."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "place C52 0 farmer",
                    N_(
                        "A farmer waits the longest: a farm counts when all eight cells around it are filled, or at"
                        " the end."
                    ),
                ),
            ),
            answers=("place B51 0",),
            told=N_(
                "Your road counted 12: 4 for itself and 8 for two surveyors. Complete what is yours while they are"
                " beside it."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "place C55 90",
                    N_(
                        "No settler is needed: the tile closes the town where your trader waits, and a surveyor"
                        " stands beside it."
                    ),
                ),
            ),
            answers=("place A58 90 trader",),
            told=N_(
                "A settler that both surveyors have passed goes home without points. The robber of the other side is"
                " the next one in danger."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "place D52 0 robber",
                    N_(
                        "It brings nothing yet, but it lies west of both surveyors, so there is time to complete the"
                        " road."
                    ),
                ),
            ),
            told=N_(
                "8 points for you. A surveyor went on, so both have passed the other robber, who went home with"
                " nothing."
            ),
        ),
    ),
    over=N_(
        "You have scored a town and a road, begun a farm, and seen what the surveyors do. The game goes on until all"
        " tiles are laid; then farms and plains are counted and what is incomplete. Everything else, such as shields,"
        " relay posts and the order of scoring, the page tells you when it matters."
    ),
)
