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
                        "Settle Halifax. The Boston card lists Halifax and asks for a ship, so a second card with a"
                        " ship goes along: Norfolk. Halifax also wants a settler: New York. Touch Halifax on the map,"
                        " then choose these cards and add the step."
                    ),
                ),
            ),
            answers=("settle fort-beausejour from gaspe with louisbourg",),
            told=N_(
                "You are the British, Bob is the French. Your five cards are all you can do this turn: each card is a"
                " place or people, and what is printed on it says what for. The first turn has one action, all others"
                " have two."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "draft regular-infantry",
                    N_(
                        "You will need soldiers. Draft Regular Infantry for 7 coins: touch “Draft”, then the card. It"
                        " lies in your discards until your deck is shuffled again."
                    ),
                ),
                LessonAct(
                    "money philadelphia",
                    N_("Now earn money. Take the 3 coins of Philadelphia: the card is used up for this turn."),
                ),
            ),
            answers=("money quebec", "draft priest"),
            told=N_(
                "Halifax is yours and counts 2 points. Its card came to your discards, so your deck has grown by one:"
                " every place you win is one more card to draw. Bob has settled a place of his own."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "settle fort-halifax from pemaquid with st-marys",
                    N_(
                        "Settle Fort Halifax from Pemaquid with the bateaux of St. Mary’s. It is worth no points and"
                        " wants no settler, but it opens the way inland."
                    ),
                ),
                LessonAct(
                    "merchant boston: new-haven",
                    N_(
                        "Send a merchant: the ship of Boston carries the coins of New Haven. The coins of the ship’s"
                        " own card do not count. Keep Halifax in your hand, you need it for the siege."
                    ),
                ),
            ),
            answers=("trade montreal", "draft militia"),
            told=N_(
                "At the end of your turn your hand was filled up to five. Cards you do not use stay in it, so you can"
                " save up for a plan; but whoever keeps too much sees little of the deck."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "besiege port-royal from halifax with boston force regular-infantry",
                    N_(
                        "Besiege Port Royal. Halifax lists it by ship, Boston brings the ship, and Regular Infantry is"
                        " the force; it stays in the siege. Touch Port Royal on the map."
                    ),
                ),
                LessonAct(
                    "money norfolk",
                    N_("Use the second action for money: the 2 coins of Norfolk. Armies are dear."),
                ),
            ),
            answers=("settle fort-st-john from trois-rivieres with tadoussac", "draft priest"),
            told=N_(
                "Your deck was used up, so your discards were shuffled into a new one, and the Regular Infantry came to"
                " your hand with Boston. That is the rhythm of this game: what you draft today you hold after the"
                " next shuffle."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "reinforce port-royal with new-york",
                    N_(
                        "Reinforce the siege with New York, which has a strength of 1. At +2 the siege is won at the"
                        " beginning of your next turn, unless Bob answers."
                    ),
                ),
                LessonAct("money philadelphia", N_("Take the 3 coins of Philadelphia again.")),
            ),
            answers=("draft trader", "discard fort-beausejour"),
            told=N_(
                "The siege stands at +1 for you. Bob has settled elsewhere and sent no soldiers: he could have"
                " reinforced the defence. Sieges are won by whoever has the cards in hand at the right moment."
            ),
        ),
        LessonTurn(
            acts=(
                LessonAct(
                    "occupy port-royal settler st-marys",
                    N_(
                        "Port Royal has fallen. Occupy it: that costs a settler, St. Mary’s. Without one the place"
                        " would be left neutral."
                    ),
                ),
                LessonAct(
                    "develop pemaquid with boston",
                    N_(
                        "Develop Pemaquid with Boston as the settler: the village becomes a town, and a town counts"
                        " double."
                    ),
                ),
                LessonAct(
                    "draft governor",
                    N_(
                        "Your deck grows with every place, and a large deck is slow. Draft the Governor: later it"
                        " sends cards away that only get in your way."
                    ),
                ),
            ),
            told=N_(
                "At +2 you have won the siege at the beginning of your turn. What you captured counts for you at the"
                " end, and your soldiers go to your discards."
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
