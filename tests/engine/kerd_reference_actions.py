"""The slow reference of Kerd: its legal actions, and the positions that they lead to."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from tests.engine.kerd_reference import (
    EIGHT,
    POOL,
    Square,
    State,
    attacked,
    bound,
    captures,
    king_attacked,
    name,
    region,
)


def actions(state: State) -> dict[str, State]:
    """The legal actions, each with the position after it."""
    if ("K" if state.white else "k") not in state.board.values():
        return {}
    found: dict[str, State] = {}
    for origin in [square for square in state.board if state.own(square)]:
        found.update(moves(state, origin))
        if state.board[origin].upper() == "C":
            found.update(joint_advances(state, origin))
    if not state.draft:
        found.update(castlings(state))
        found.update(executions(state))
    found.update(reveals(state))
    if state.draft:
        return found
    return {
        action: after
        for action, after in found.items()
        if not king_attacked(after, white=state.white)
    }


def first_reach(state: State, square: Square) -> int:
    return {"water": 1, "land": 2, "air": 3}[region(square)] if square in state.fresh else 1


def quiet(state: State, origin: Square) -> Iterator[tuple[Square, list[Square]]]:
    """Yield where the piece may go without capturing, before the region rule."""
    kind = state.board[origin].upper()
    file, rank = origin
    if kind in "PC":
        for n in range(1, first_reach(state, origin) + 1):
            target = file, rank + n * state.forward
            if not state.empty(target):
                break
            yield target, [origin, target]
    elif kind == "J":
        for x, y in EIGHT:
            yield (file + x, rank + y), [origin, (file + x, rank + y)]
            way = [origin, (file + x, rank + y)]
            reach = {"water": 0, "land": 1, "air": 2}[region(origin)]
            while reach and state.empty(way[-1]):
                way.append((way[-1][0] + x, way[-1][1] + y))
                reach -= 1
            if way[-1] in state.board:
                way.append((way[-1][0] + x, way[-1][1] + y))
                yield way[-1], way
    else:
        yield from captures(state, origin)


def moves(state: State, origin: Square) -> dict[str, State]:
    found: dict[str, State] = {}
    for target, way in quiet(state, origin):
        if state.empty(target) and not bound(state, way, capturing=False):
            found.update(promoting(state, {origin: target}, origin))
    for target, way in captures(state, origin):
        if state.enemy(target) and not bound(state, way, capturing=True):
            found.update(promoting(state, {origin: target}, origin))
    return found


def promoting(state: State, steps: dict[Square, Square], pawn: Square) -> dict[str, State]:
    """A move of one or two pieces, and its promotions if the piece on `pawn` is a Pawn."""
    action = "&".join(name(a) + name(b) for a, b in steps.items())
    found = {action: moved(state, steps)}
    target = steps[pawn]
    if (
        not state.draft
        and state.board[pawn].upper() == "P"
        and region(pawn) == "air"
        and target[1] == (8 if state.white else 5)
        and target[0] not in (6, 7)
    ):
        for piece in sorted({piece for piece in state.pool if piece.isupper() == state.white}):
            found[f"{action}={piece.upper()}"] = moved(state, steps, pawn=pawn, back=piece)
    return found


def joint_advances(state: State, origin: Square) -> dict[str, State]:
    found: dict[str, State] = {}
    file, rank = origin
    for x, y in EIGHT:
        pawn = file + x, rank + y
        if not (state.own(pawn) and state.board[pawn].upper() == "P"):
            continue
        lifted = {s: p for s, p in state.board.items() if s not in (origin, pawn)}
        bare = replace(state, board=lifted)
        for n in range(1, min(first_reach(state, origin), first_reach(state, pawn)) + 1):
            passed = [
                (each[0], each[1] + m * state.forward)
                for each in (origin, pawn)
                for m in range(1, n + 1)
            ]
            if all(bare.empty(square) for square in passed):
                ends = {each: (each[0], each[1] + n * state.forward) for each in (origin, pawn)}
                found.update(promoting(state, ends, pawn))
    return found


def castlings(state: State) -> dict[str, State]:
    found: dict[str, State] = {}
    rank = 1 if state.white else 12
    king = (7, rank)
    for letter, king_file, jumper_file, tower_file, tower_to in (
        ("K", 10, 11, 12, 9),
        ("Q", 3, 2, 1, 5),
    ):
        own_letter = letter if state.white else letter.lower()
        jumper = "J" if state.white else "j"
        step = 1 if king_file > 7 else -1
        between = [(file, rank) for file in range(7 + step, jumper_file, step)]
        way = [(file, rank) for file in range(7, king_file + step, step)]
        if (
            own_letter in state.castling
            and state.board.get((jumper_file, rank)) == jumper
            and all(state.empty(square) for square in between)
            and not any(attacked(replace(state.other(), recapture=None), square) for square in way)
        ):
            steps = {king: (king_file, rank), (tower_file, rank): (tower_to, rank)}
            found[name(king) + name((king_file, rank))] = moved(state, steps)
    return found


def eligible(state: State, square: Square) -> bool:
    return state.board[square].upper() in "PCBHJ"


def executions(state: State) -> dict[str, State]:
    found: dict[str, State] = {}
    if state.choices[1 if state.white else 0] in "!-":
        return found
    for square in state.board:
        if state.own(square) and eligible(state, square):
            board = {s: p for s, p in state.board.items() if s != square}
            after = gone(state, square)
            found[f"X:{name(square)}"] = turn(state, replace(after, board=board, recapture=None))
    return found


def reveals(state: State) -> dict[str, State]:
    found: dict[str, State] = {}
    mine = 0 if state.white else 1
    choice = state.choices[mine]
    if not state.checked or choice in ("x", "!", "-"):
        return found
    for square, piece in state.board.items():
        if state.enemy(square) and eligible(state, square) and choice in ("?", name(square)):
            choices = list(state.choices)
            choices[mine] = "!"
            after = replace(
                state,
                board={**state.board, square: piece.swapcase()},
                choices=(choices[0], choices[1]),
                fresh=state.fresh - {square},
                recapture=None,
            )
            found[f"R:{name(square)}"] = turn(state, after)
    return found


def gone(state: State, square: Square) -> State:
    """The state without a square's piece, which enters the pool and is no longer an infiltrator."""
    piece = state.board[square]
    kept = piece.upper() in POOL and not state.draft
    white, black = ("x" if choice == name(square) else choice for choice in state.choices)
    return replace(
        state,
        pool=state.pool + piece if kept else state.pool,
        choices=(white, black),
        fresh=state.fresh - {square},
    )


def moved(
    state: State, steps: dict[Square, Square], pawn: Square | None = None, back: str = ""
) -> State:
    """The state after a move; `back` replaces the Pawn from `pawn`."""
    recapture = None
    after = state
    for target in steps.values():
        if state.enemy(target):
            taken = state.board[target].upper()
            if taken == "P" or (taken == "C" and state.draft):
                recapture = target
            after = gone(after, target)
    board = {s: p for s, p in state.board.items() if s not in steps}
    for origin, target in steps.items():
        board[target] = back if origin == pawn else state.board[origin]
    ends = {name(a): "x" if a == pawn else name(b) for a, b in steps.items()}
    white, black = (ends.get(choice, choice) for choice in after.choices)
    pool = after.pool.replace(back, "", 1) if back else after.pool
    castling = after.castling
    for square in (*steps, *steps.values()):
        for corner, letters in (
            ("g1", "KQ"),
            ("l1", "K"),
            ("a1", "Q"),
            ("g12", "kq"),
            ("l12", "k"),
            ("a12", "q"),
        ):
            if name(square) == corner:
                castling = "".join(letter for letter in castling if letter not in letters)
    after = replace(
        after,
        board=board,
        choices=(white, black),
        pool=pool,
        castling=castling,
        fresh=after.fresh - set(steps),
        recapture=recapture,
    )
    return turn(state, after)


def turn(before: State, after: State) -> State:
    after = replace(
        after, white=not before.white, number=before.number + (0 if before.white else 1)
    )
    return replace(after, checked=after.checked or king_attacked(after, white=after.white))


def ending(state: State, legal: Collection[str]) -> str | None:
    """How the game has ended with these legal actions; None while it goes on."""
    if ("K" if state.white else "k") not in state.board.values():
        return "king captured"
    if legal:
        return None
    if king_attacked(state, white=state.white) and not state.draft:
        return "mate"
    return "stalemate"
