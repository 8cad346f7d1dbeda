"""The pages that explain the games."""

from __future__ import annotations

from flask import abort, render_template

from engine.registry import VARIANTS
from service.pages.rule_book import NAMES, load_page
from service.pages.site import pages


@pages.get("/rules")
def list_rules() -> str:
    """Show which games there are, and where their rules are."""
    return render_template("rules_index.html", games=[load_page(name) for name in VARIANTS])


@pages.get("/rules/<name>")
def show_rules(name: str) -> str:
    """Show the rules of a game, or the rulings on all of them."""
    if name not in NAMES:
        abort(404)
    return render_template("rules.html", page=load_page(name), game=name in VARIANTS)
