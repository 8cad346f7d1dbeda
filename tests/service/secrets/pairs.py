"""One game in two services, which differ only in what players have chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Any

from engine.kerd.action import Deed, deed, target
from engine.kerd.board import VOID
from engine.kerd.kernel import Position as Kerd
from engine.kerd.knowledge import can_only_reveal
from engine.position import Action, Position
from engine.side import Side
from notation.errors import BadChoice, BadFen, TokenError
from notation.kerd.fen import FIELDS
from notation.kerd.names import NAMES
from notation.kerd.sealing import Infiltrators
from notation.registry import find_dialect
from service.game.importing import first_position
from service.game.redaction import STRANGER, Viewer, seen_actions, seen_position
from service.game.state import GameState
from service.game.values import GameStatus
from tests.engine.kerd_support import DIALECTS, board, random_position
from tests.service.secrets.catalogue import OUTSIDERS, Operation, Scene, pages, requests
from tests.service.secrets.twins import Answer, Request, Twin, Twins

SEATS = ("first", "second")
SCOPES = {"arbiter": ("play", "arbiter"), "admin": ("play", "arbiter", "admin")}
LOOKS = 7
"""Requests that are compared after each action, in addition to those always made."""
UNASKED = 4
"""How many of them are to operations not yet requested in this game."""
UNREAD = 3
"""Pages not yet read in this game that are read in addition to a random one."""


class Difference(AssertionError):
    """Two answers to one request by which a non-owner could tell the games apart."""

    def __init__(self, request: Request, answers: tuple[Answer, Answer]) -> None:
        super().__init__(f"{request}\n{answers[0]}\n{answers[1]}")


class Told(AssertionError):
    """A nonce in an answer to somebody who does not own it."""

    def __init__(self, request: Request, nonce: str) -> None:
        super().__init__(f"{request}: {nonce}")


class Pair:
    """The game; `seen` counts what has happened in it, `asked` holds the operations compared."""

    def __init__(self, both: Twins, variant: str, secret: Sequence[Side], random: Random) -> None:
        self.both = both
        self.variant = variant
        self.secret = secret
        self.random = random
        # A source of its own: the requests, however many, do not change the course of the game.
        self.asking = Random(random.random())
        self.seen: Counter[str] = Counter()
        self.asked: set[Operation] = set()
        self.nonces: set[str] = set()
        for name in (*SEATS, "eve", "arbiter", "admin"):
            both.each(partial(self._register, name))
        self.players = {seat: both.both[0].players[seat].id for seat in SEATS}
        self.observers = [*OUTSIDERS, *(SEATS[side] for side in Side if side not in secret)]
        self.game = self._created()

    @staticmethod
    def _register(name: str, twin: Twin) -> None:
        twin.players[name] = twin.api.player(f"The {name}", *SCOPES.get(name, ()))

    def _created(self) -> str:
        wish: dict[str, Any] = {"variant": self.variant, "side": "first"}
        wish |= {"opponent": self.players["second"]}
        if self.random.random() < 0.8:
            wish["fen"] = self._set_up()
        own = Random(self.players["second"])
        if own.random() < 0.5:
            # Times are visible, too, and must not depend on anything secret.
            wish["time_control"] = own.choice(["1/259200", "600+5", "40/5400+30:1800"])
            self.seen["clocks"] += 1
        created, _ = self.ask(Request("POST", "/games", "first", wish))
        assert created.status == 201
        return dict(created.headers)["Location"].removeprefix("/api/v1")

    def _set_up(self) -> str:
        """A position in which both sides have choices to make, and the game is not over."""
        texts = DIALECTS[self.variant]
        near = self.random.random() < 0.6
        while True:
            fen = (
                near_mate(self.random)
                if near
                else texts.write_fen(random_position(self.random, texts))
            )
            fields = fen.split(" ")
            fields[FIELDS.index("infiltrators")] = "?/?"
            try:
                position = texts.read_fen(" ".join(fields))
            except BadFen:
                continue
            if position.outcome() is None and all(len(choices(position, s)) > 1 for s in Side):
                return " ".join(fields)

    @property
    def states(self) -> tuple[GameState, GameState]:
        """The state of the game in both services, with all secrets."""
        id = self.game.removeprefix("/games/")
        first, second = self.both.each(lambda twin: twin.api.service.games.load(id))
        return first, second

    # What is compared.

    def ask(self, request: Request, other: Request | None = None) -> tuple[Answer, Answer]:
        """Both answers: their status must be the same, and for an observer every byte."""
        answers = self.both.ask(request, other)
        if answers[0].status != answers[1].status:
            raise Difference(request, answers)
        if request.by in self.observers:
            self.check(request, answers)
        return answers

    def check(self, request: Request, answers: tuple[Answer, Answer]) -> None:
        """Raise Difference or Told if an observer must not get these answers."""
        if answers[0] != answers[1]:
            raise Difference(request, answers)
        told = f"{answers[0].headers} {answers[0].body!r}"
        for nonce in self.nonces:
            if nonce in told:
                raise Told(request, nonce)

    def look(self, observers: Sequence[str | None]) -> None:
        """Compare what observers are answered."""
        self.both.tick()
        for by in self.asking.sample(observers, 2):
            self.compare(by, "", "application/json")
            self.compare(by, "/legal", "application/json")
        by = self.asking.choice(observers)
        state = self.states[0]
        public = find_dialect(self.variant).write_fen(seen_position(state, STRANGER))
        about = (self.players, self.variant, public)
        scene = Scene(self.game, len(state.played), state.version, *about, self.asking)
        found = requests(scene, by)
        unasked = [one for one in found if one[0] not in self.asked]
        first = self.asking.sample(unasked, min(UNASKED, len(unasked)))
        for operation, request in [*first, *self.asking.sample(found, LOOKS - len(first))]:
            if not self._plays(request):
                self.asked.add(operation)
                if not request.path.startswith(self.game):
                    # Answers about all games say how far the lists are behind the games.
                    self.both.project()
                self.ask(request)
        self.both.project()
        shown = pages(scene, self.both.both[0].page_rules, by)
        unread = [one for one in shown if one[0] not in self.asked]
        for operation, request in [*unread[:UNREAD], self.asking.choice(shown)]:
            self.asked.add(operation)
            self.ask(request)

    def compare(self, by: str | None, path: str, accept: str) -> None:
        """Compare a view of the game, and check that its ETag is good for a 304."""
        request = Request("GET", f"{self.game}{path}", by, headers={"Accept": accept})
        tag = dict(self.ask(request)[0].headers)["ETag"]
        again = Request("GET", request.path, by, headers={"Accept": accept, "If-None-Match": tag})
        assert self.ask(again)[0].status == 304

    def _plays(self, request: Request) -> bool:
        """Whether a request would play an action that is not part of the game's own course."""
        state = self.states[0]
        if not request.path.endswith("/actions") or state.to_act is None:
            return False
        if request.by != SEATS[state.to_act]:
            return False
        lines = request.body if isinstance(request.body, list) else [request.body]
        tokens = [line["action"] for line in lines if isinstance(line["action"], str)]
        position = seen_position(state, frozenset({state.to_act}))
        return any(self._is_legal(position, token) for token in tokens)

    def _is_legal(self, position: Position, token: str) -> bool:
        try:
            find_dialect(self.variant).resolve(position, token)
        except TokenError:
            return False
        return True

    # What happens.

    def begin(self) -> None:
        """Accept the game and choose; choices that are secret differ."""
        self.command("second", {"type": "accept"})
        eve = self.both.both[0].players["eve"].id
        self.command("first", {"type": "admit-annotator", "player": eve})
        if self.asking.random() < 0.5:
            self.reopen()
        first = first_position(self.variant, self.states[0].fen, {})
        for side in self.random.sample(list(Side), 2):
            one, other = self.random.sample(choices(first, side), 2)
            squares = (one, other if side in self.secret else one)
            own = {"nonce": self.random.randbytes(16).hex()} if self.random.random() < 0.5 else {}
            path, by = f"{self.game}/commands", SEATS[side]
            bodies = [{"type": "choose", "square": square} | own for square in squares]
            if not self.goes_on_after(*(Request("POST", path, by, body) for body in bodies)):
                return
            made = self.states[0].choices[side]
            assert made is not None
            if side in self.secret:
                self.nonces.add(str(made.nonce))
            if self.states[0].status is GameStatus.CHOOSING:
                self.look(OUTSIDERS)
                if side not in self.secret:
                    self.reopen()

    def reopen(self) -> None:
        """End the game before a secret choice was made, and reopen it."""
        self.command("arbiter", {"type": "close"})
        self.look(self.observers)
        self.command("arbiter", {"type": "reopen", "reason": "too soon"})
        self.look(self.observers)
        self.seen["reopening"] += 1

    def command(self, by: str, body: dict[str, Any]) -> None:
        """Send a command that both games accept."""
        answer, _ = self.ask(Request("POST", f"{self.game}/commands", by, body))
        assert answer.status == 200

    def goes_on_after(self, request: Request, other: Request | None = None) -> bool:
        """Send a request that both games accept; return whether both go on, indistinguishably.

        The answer to a request that ends a game is not compared: the end may make secrets public.
        """
        answers = self.both.ask(request, other)
        assert answers[0].status == answers[1].status == 200
        if not self.goes_on():
            return False
        if request.by in self.observers:
            self.check(request, answers)
        return True

    def goes_on(self) -> bool:
        """Whether neither game is over."""
        one, other = self.states
        if one.ending != other.ending:
            self.seen["outcome that differs"] += 1
        elif one.ending is not None:
            self.seen["end"] += 1
        return GameStatus.FINISHED not in (one.status, other.status)

    def step(self) -> bool:
        """Play one action in both games; False if a game is over or all actions are secret."""
        one, other = self.states
        side = Side(one.position.side)
        seen: Viewer = STRANGER if side in self.secret else frozenset({side})
        actions = seen_actions(one, seen)
        assert actions == seen_actions(other, seen)
        if not actions:
            return False
        token = find_dialect(self.variant).coordinate(self._pick(one, actions))
        body = {"action": token}
        request = Request("POST", f"{self.game}/actions", SEATS[side], body)
        if not self.goes_on_after(request):
            return False
        self._note(token)
        if self.asking.random() < 0.3:
            note = {"comments": ["so"], "nags": [1]}
            ply = len(one.played) + 1
            self.command(SEATS[side], {"type": "annotate", "ply": ply, "annotation": note})
            self.seen["annotation"] += 1
        if self.random.random() < 0.1 and one.played:
            self.command("first", {"type": "offer-retraction", "plies": 1})
            self.command("second", {"type": "accept-retraction"})
            self.seen["retraction"] += 1
        return True

    def _pick(self, state: GameState, actions: Sequence[Action]) -> Action:
        """A random action; checks, captures and hits on a chosen piece are likelier."""
        chosen = {
            state.position.copy().choice_of(side)  # type: ignore[attr-defined]
            for state in self.states
            for side in self.secret
        }
        position = state.position.copy()
        assert isinstance(position, Kerd)
        weights = []
        for action in actions:
            weight = 1 if deed(action) in (Deed.MOVE, Deed.CASTLE) else 0.3
            before = position.piece_at(target(action))
            weight *= 6 if target(action) in chosen else 1
            position.make(action)
            weight *= 8 if position.is_attacked(position.side) else 1
            weight *= 40 if looks_like_mate(position) else 1
            position.unmake()
            weights.append(weight * (4 if before and deed(action) is Deed.MOVE else 1))
        return self.random.choices(actions, weights)[0]

    def _note(self, token: str) -> None:
        one, other = (state.position.copy() for state in self.states)
        assert isinstance(one, Kerd)
        assert isinstance(other, Kerd)
        self.seen["check"] += one.is_attacked(one.side)
        self.seen["execution"] += token.startswith("X:")
        self.seen["reveal"] += token.startswith("R:")
        for side in self.secret:
            self.seen["void"] += (one.choice_of(side) == VOID) != (other.choice_of(side) == VOID)


def near_mate(random: Random) -> str:
    """A King shut in by its own Pawns, with enemies to move around it."""
    cells = {"a12": "K", f"l{random.randint(1, 12)}": "k"}
    cells |= {square: "P" for square in ("b12", "a11", "b11") if random.random() < 0.9}
    for letter in random.sample("qtthhbbss", random.randint(3, 6)):
        cells.setdefault(f"{random.choice('abcdef')}{random.randint(6, 12)}", letter)
    side = "b"
    if random.random() < 0.5:
        side = "w"
        cells = {f"{at[0]}{13 - int(at[1:])}": letter.swapcase() for at, letter in cells.items()}
    return f"{board(' '.join(letter + at for at, letter in cells.items()))} {side} - - - ?/? 1 - 40"


def looks_like_mate(position: Kerd) -> bool:
    """Whether the game is over, or the side to move can only reveal."""
    return position.outcome() is not None or can_only_reveal(position)


def choices(position: Any, side: Side) -> list[str]:
    """The squares that a side may choose."""
    found = []
    for square in NAMES.values():
        try:
            Infiltrators().check(position, side, square)
        except BadChoice:
            continue
        found.append(square)
    return found
