"""Names for guests who give none."""

from __future__ import annotations

import secrets
from typing import Final

GUEST: Final = "Guest"
ANIMALS: Final = (
    *("Badger", "Beaver", "Bison", "Crane", "Curlew", "Dolphin", "Falcon", "Ferret", "Finch"),
    *("Fox", "Gecko", "Heron", "Ibex", "Jay", "Kestrel", "Lynx", "Marten", "Newt", "Otter", "Owl"),
    *("Puffin", "Quail", "Raven", "Robin", "Seal", "Stork", "Swift", "Tern", "Vole", "Wren"),
)
"""The animals after which nameless guests are called."""


def choose_guest_name() -> str:
    """A name that another guest is unlikely to have: an animal with a number."""
    return f"{GUEST} {secrets.choice(ANIMALS)} {secrets.randbelow(900) + 100}"
