"""The boards' names for pieces and actions, collected for translation.

The names are put together in English where they are needed: programs know pieces by them.
"""

from __future__ import annotations

from typing import Final

from service.languages.texts import mark

PIECES: Final = (
    *(mark("White King"), mark("White Queen"), mark("White Tower"), mark("White Jumper")),
    *(mark("White Scout"), mark("White Hussar"), mark("White Bishop"), mark("White Commander")),
    *(mark("White Pawn"), mark("Black King"), mark("Black Queen"), mark("Black Tower")),
    *(mark("Black Jumper"), mark("Black Scout"), mark("Black Hussar"), mark("Black Bishop")),
    *(mark("Black Commander"), mark("Black Pawn")),
    *(mark("Red Infantry"), mark("Red Archer"), mark("Red Cavalry"), mark("Red Knight")),
    *(mark("Red Hero"), mark("Red Castle"), mark("Blue Infantry"), mark("Blue Archer")),
    *(mark("Blue Cavalry"), mark("Blue Knight"), mark("Blue Hero"), mark("Blue Castle")),
    *(mark("South's Hutu (Private)"), mark("South's Ali (Sergeant)")),
    *(mark("South's Isza (Officer)"), mark("North's Hutu (Private)")),
    *(mark("North's Ali (Sergeant)"), mark("North's Isza (Officer)"), mark("Hutu (Private)")),
    *(mark("Ali (Sergeant)"), mark("Isza (Officer)")),
)
DEEDS: Final = (
    *(mark("Bring back a Queen"), mark("Bring back a Tower"), mark("Bring back a Jumper")),
    *(mark("Bring back a Scout"), mark("Bring back a Hussar"), mark("Bring back a Bishop")),
    *(mark("Bring back a Commander"), mark("Place Infantry on"), mark("Place Archer on")),
    *(mark("Place Cavalry on"), mark("Place Knight on"), mark("Place Hero on")),
    *(mark("Place Castle on"), mark("Declare Kyan-A-Alka"), mark("Claim Alka")),
    *(mark("Kyan-A-Alka declared"), mark("Alka claimed")),
)
KINDS: Final = (
    *(mark("King"), mark("Queen"), mark("Tower"), mark("Jumper"), mark("Scout"), mark("Hussar")),
    *(mark("Bishop"), mark("Commander"), mark("Pawn"), mark("Infantry"), mark("Archer")),
    *(mark("Cavalry"), mark("Knight"), mark("Hero"), mark("Castle"), mark("piece")),
)
"""The names of pieces in error messages."""
