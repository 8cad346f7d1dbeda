"""The pages that explain the games."""

from __future__ import annotations

from flask import abort, render_template

from engine.registry import VARIANTS
from service.languages.texts import get_language
from service.pages.rule_book import NAMES, load_page
from service.pages.site import pages


@pages.get("/rules")
def list_rules() -> str:
    """Show which games there are, and where their rules are."""
    games = [load_page(name, get_language()) for name in VARIANTS]
    return render_template("rules_index.html", games=games)


@pages.get("/rules/<name>")
def show_rules(name: str) -> str:
    """Show the rules of a game, or the rulings on all of them."""
    if name not in NAMES:
        abort(404)
    page = load_page(name, get_language())
    return render_template("rules.html", page=page, game=name in VARIANTS)
