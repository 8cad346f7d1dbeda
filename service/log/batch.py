"""Commands on several entities, carried out together in few round trips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic

from service.log.entity import A, C, N, S
from service.log.errors import AlreadyDone
from service.log.repository import Done, Repository
from service.log.values import Append, Receipt


@dataclass(frozen=True, slots=True)
class Order(Generic[C]):
    """A command on one entity, as `Repository.execute` takes it."""

    id: str
    command: C
    expected: int | None = None
    receipt: Receipt | None = None


class Batch(Generic[S, N, C, A]):
    """Orders that one actor gives at once.

    Each is decided on the state after those before it, and all are appended together. An order that
    is refused or overtaken in this way is carried out again by itself, and so are the later orders
    to the same entity. So their sequence is kept, and a refusal refers to the newest state.
    """

    def __init__(self, repository: Repository[S, N, C, A], actor: A) -> None:
        self.repository = repository
        self.actor = actor

    def execute(self, orders: Sequence[Order[C]]) -> Iterator[Done[S] | Exception]:
        """Yield the result of each order: what was done, or what `execute` would have raised.

        A failure of one order stops no other. Raises the store's own error if the answer to the
        joint append is lost; then each of the orders may or may not have been carried out.
        """
        done = self._append_together(orders)
        for number, order in enumerate(orders):
            yield done[number] if number in done else self._execute_alone(order)

    def _append_together(self, orders: Sequence[Order[C]]) -> dict[int, Done[S] | Exception]:
        """What was done together, by the order's number."""
        states: dict[str, S] = {}
        left: set[str] = set()
        made: list[tuple[int, Append, S]] = []
        for number, order in enumerate(orders):
            if order.id in left:
                continue
            try:
                state = states.get(order.id) or self.repository.find_to_change(order.id)
                request, after = self.repository.decide(
                    order.id, state, order.command, self.actor, order.expected, order.receipt
                )
            except Exception:
                # Raised again for the newest state when the order is carried out by itself.
                left.add(order.id)
            else:
                states[order.id] = after
                made.append((number, request, after))
        answers = self.repository.log.append_each([request for _, request, _ in made])
        done: dict[int, Done[S] | Exception] = {}
        for (number, request, after), answer in zip(made, answers, strict=True):
            if isinstance(answer, int):
                done[number] = self.repository.keep_done(request, after)
            elif isinstance(answer, AlreadyDone):
                done[number] = answer
        return done

    def _execute_alone(self, order: Order[C]) -> Done[S] | Exception:
        try:
            return self.repository.execute(
                order.id, order.command, self.actor, order.expected, order.receipt
            )
        except Exception as error:
            return error
