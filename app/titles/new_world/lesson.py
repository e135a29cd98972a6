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
                        "Lay the tile at A54, where it closes the town of New York, and put a trader into it: touch"
                        " A54, choose the trader, lay it. The lit cells say what each place would bring."
                    ),
                ),
            ),
            answers=("place A52 90 robber",),
            told=N_(
                "The coast with its towns lies in the east; everybody builds westward from it. Each turn you lay the"
                " tile you have drawn so that all its sides fit, and may put one of your five settlers on it: a trader"
                " in a town, a robber on a road, a farmer on a farm, a trapper in the plains."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "place A55 90 robber",
                    N_(
                        "Lay the road at A55, where it goes on from New York, and put a robber on it. He stays there"
                        " until the road is complete: an investment, as you have few settlers."
                    ),
                ),
            ),
            answers=("place A51 90 trader",),
            told=N_(
                "The town was complete, so it counted at once: 4 points, and the trader came home to your supply. After"
                " each feature that is scored the surveyor furthest behind takes a step west. Bob has put a robber on"
                " the road at A2."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "place B55 270 trader",
                    N_(
                        "Lay the crossing at B55, turned so that its town looks west, with a trader in that town. The"
                        " crossing ends your road, which counts at once; and you begin a town."
                    ),
                ),
            ),
            answers=("place B52 180",),
            told=N_(
                "Bob’s town counted 8 points, not 4: each surveyor in the column of the settler that is scored is worth"
                " 4 more. Now both surveyors stand in column A, where your robber is."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "place C52 0 farmer",
                    N_(
                        "Lay the farm at C52, turned by nothing, with a farmer on it. A farm is scored when all eight"
                        " cells around it are filled, or at the end."
                    ),
                ),
            ),
            answers=("place B51 0",),
            told=N_(
                "Your road counted 12: 4 for itself, and 8 for the two surveyors in its column. Timing is half of this"
                " game: complete what is yours while the surveyors are beside it. Bob has made his own road longer."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "place C55 90",
                    N_(
                        "Lay the town at C55, without a settler: it closes the town at B55, where your trader waits and"
                        " where a surveyor stands."
                    ),
                ),
            ),
            answers=("place A58 90 trader",),
            told=N_(
                "The surveyors stand in the columns A and B. A settler that both of them have passed goes home without"
                " points: Bob’s robber at A52 is the next one in danger."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "place D52 0 robber",
                    N_(
                        "Lay the road at D52 with a robber on it. It brings nothing yet, but it lies west of both"
                        " surveyors and next to your farm, so there is time to complete it."
                    ),
                ),
            ),
            told=N_(
                "8 points for you, and the southern surveyor went on to column B: both have passed column A now, and"
                " Bob’s robber went home with nothing. Long roads in the east are a risk."
            ),
        ),
    ),
    over=N_(
        "You have scored a town and a road, begun a farm, and seen what the surveyors do. The game goes on until all"
        " tiles are laid; then farms and plains are counted and what is incomplete. Everything else, such as shields,"
        " relay posts and the order of scoring, the page tells you when it matters."
    ),
)
