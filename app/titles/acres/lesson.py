"""A lesson for A Few Acres of Snow: six British turns, to the fall of Port Royal."""

from __future__ import annotations

from app.titles.lessons import Lesson, LessonAct, LessonTurn
from engine.kernel.text import N_

LESSON = Lesson(
    seat="british",
    seats=("british", "french"),
    chance={"british": [(), ("boston",), ("regular-infantry", "boston", "philadelphia")]},
    turns=(
        LessonTurn(
            acts=(
                LessonAct(
                    "settle halifax from boston with norfolk settler new-york",
                    N_(
                        "A settler symbol is spent to settle a place or to develop one. The card of {from} leads to"
                        " {at} by ship, so a card with a ship is spent, too."
                    ),
                ),
            ),
            answers=("settle fort-beausejour from gaspe with louisbourg",),
            told=N_(
                "You are the British. Your five cards are all you have for this turn: each is spent for one thing"
                " that is printed on it."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "draft regular-infantry",
                    N_(
                        "Sieges are won by soldiers, so these are worth having early. What you draft lies in your"
                        " discards until your deck is shuffled."
                    ),
                ),
                LessonAct(
                    "money philadelphia",
                    N_("A card that is spent for its coins goes to your discards, too."),
                ),
            ),
            answers=("money quebec", "draft priest"),
            told=N_("{at} is yours. Its card came to your discards: every place you win is one more card to draw."),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "settle fort-halifax from pemaquid with st-marys",
                    N_(
                        "{at} brings no points and asks for no settler; the bateaux of {with} are enough. But it"
                        " opens the way inland."
                    ),
                ),
                LessonAct(
                    "merchant boston: new-haven",
                    N_(
                        "A ship symbol can carry the coins of other cards; those of its own card do not count. Keep"
                        " what you need for the siege."
                    ),
                ),
            ),
            answers=("trade montreal", "draft militia"),
            told=N_(
                "At the end of your turn your hand was filled up to five. What you do not spend you keep, but you"
                " draw less."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "besiege port-royal from halifax with boston force regular-infantry",
                    N_(
                        "A siege takes a card that leads there, one that carries, and a force, which stays. The box"
                        " at the place then says how it stands: at +1 you lead by one."
                    ),
                ),
                LessonAct(
                    "money norfolk",
                    N_("Spend the second action on money: armies are dear."),
                ),
            ),
            answers=("settle fort-st-john from trois-rivieres with tadoussac", "draft priest"),
            told=N_("Your deck was used up and your discards were shuffled: what you drafted is in your hand now."),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "reinforce port-royal with new-york",
                    N_(
                        "A card with strength adds it to the siege and stays there. At +2 the siege is won when your"
                        " next turn begins, unless the other side answers."
                    ),
                ),
                LessonAct("money philadelphia", N_("Take these coins again: the best cards cost the most.")),
            ),
            answers=("draft trader", "discard fort-beausejour"),
            told=N_(
                "The box says +1. The other side has sent no soldiers: sieges are won by whoever has the cards at the"
                " right moment."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "occupy port-royal settler st-marys",
                    N_("Holding the place costs a settler symbol. Without one it would be left neutral."),
                ),
                LessonAct(
                    "develop pemaquid with boston",
                    N_("Here the settler symbol develops: the village becomes a town, and a town counts double."),
                ),
                LessonAct(
                    "draft governor",
                    N_(
                        "A large deck is slow. {take} is a card worth having: it sends away those that only get in your"
                        " way."
                    ),
                ),
            ),
            told=N_(
                "At +2 the siege is won. What you captured counts for you at the end, and your soldiers go to your"
                " discards."
            ),
        ),
    ),
    over=N_(
        "You have settled, earned, drafted, besieged and developed: that is most of the game. It ends when one side has"
        " placed all of its villages or towns, has captured enough, or has lost its capital. Raids and ambushes, forts"
        " and the reserve you will find in the rules when you meet them."
    ),
)
"""The other side could defend itself better, and says so."""
