"""Since when an invitation is kept from whom it invites, because a block stands between them.

Invitations that wait across a block already are kept back from now on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("invitation") as batch:
        batch.add_column(sa.Column("kept_back_at", sa.DateTime(timezone=True), nullable=True))
    op.execute(
        """
        UPDATE invitation SET kept_back_at = CURRENT_TIMESTAMP
        WHERE status = 'waiting' AND EXISTS (
            SELECT 1 FROM block JOIN game ON game.id = invitation.game_id
            WHERE block.kind = 'block' AND game.status = 'open' AND (
                (block.player_id = invitation.player_id AND block.other_id = game.made_by)
                OR (block.other_id = invitation.player_id AND block.player_id = game.made_by)
                OR EXISTS (
                    SELECT 1 FROM game_seat WHERE game_seat.game_id = game.id AND (
                        (block.player_id = invitation.player_id AND block.other_id = game_seat.player_id)
                        OR (block.other_id = invitation.player_id AND block.player_id = game_seat.player_id)
                    )
                )
            )
        )
        """
    )


def downgrade() -> None:
    with op.batch_alter_table("invitation") as batch:
        batch.drop_column("kept_back_at")
