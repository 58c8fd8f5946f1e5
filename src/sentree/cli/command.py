"""What all commands share: words for their messages, and a file that repeats them."""

from __future__ import annotations

from typing import Any

import typer
import typer.core

from sentree.cli import saved
from sentree.cli.wording import name_options


class Command(typer.core.TyperCommand):
    """A command whose messages name its own options, and that can be saved in a file."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command, then save it if that is asked for."""
        name_options(one for one in self.params if one.param_type_name == "option")
        target = ctx.params.pop("save_command", None)
        if target is None:
            return super().invoke(ctx)
        saved.check_target(target)
        result = super().invoke(ctx)
        saved.save(ctx, target)
        if not ctx.params.get("quiet"):
            typer.echo(f"wrote {target}: 'sentree run {target}' repeats this", err=True)
        return result
