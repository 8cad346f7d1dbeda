"""A network over sparse features of a position; compiled with `network.pxd`.

It has one hidden layer, which sees the position twice: from the first side's view and from the
second's. A unit's activation is the sum of the weights of the features present, clipped to 0 to
`ONE`. The output is a weighted sum of the activations, those of the side to act before those of
the other. All numbers are integers, so that the result is the same compiled and in plain Python.

The sums are kept for each node of the line that a search walks, and a move updates them only for
the features that it changes (Nasu, Efficiently Updatable Neural-Network-based Evaluation
Functions for Computer Shogi, 2018).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.learned.layout import HIDDEN, ONE, OUTPUT_SHIFT


class Network:
    """The weights, which `engine.learned.files` has checked: nothing that is summed overflows.

    `inputs` has `HIDDEN` numbers for each feature, `biases` that many, `outputs` twice as many.
    With `replaces_terms` its output is added to the material, else to the whole evaluation.
    """

    def __init__(
        self,
        inputs: Sequence[int],
        biases: Sequence[int],
        outputs: Sequence[int],
        output_bias: int,
        replaces_terms: bool,
    ) -> None:
        self.inputs: list[int] = [0] * 196608
        self.biases: list[int] = [0] * 32
        self.outputs: list[int] = [0] * 64
        for i in range(len(inputs)):
            self.inputs[i] = inputs[i]
        for i in range(HIDDEN):
            self.biases[i] = biases[i]
        for i in range(2 * HIDDEN):
            self.outputs[i] = outputs[i]
        self.output_bias: int = output_bias
        self.replaces_terms: int = int(replaces_terms)


class Accumulator:
    """The sums of a network's hidden units, for each node of a line.

    `at` is where the last node's sums begin in `sums`: the first side's view, then the second's.
    There is room for 66 nodes.
    """

    def __init__(self, network: Network) -> None:
        self.network: Network = network
        self.sums: list[int] = [0] * 4224
        self.at: int = 0
        self.clear()

    def clear(self) -> None:
        """Take all features from the last node."""
        biases = self.network.biases
        sums = self.sums
        for i in range(HIDDEN):
            sums[self.at + i] = biases[i]
            sums[self.at + HIDDEN + i] = biases[i]

    def push(self) -> None:
        """Go to a new node, which has the features of the one before."""
        sums = self.sums
        before = self.at
        after = before + 2 * HIDDEN
        for i in range(2 * HIDDEN):
            sums[after + i] = sums[before + i]
        self.at = after

    def pop(self) -> None:
        """Go back to the node before."""
        self.at -= 2 * HIDDEN

    def add(self, view: int, feature: int) -> None:
        """Add a feature to a side's view."""
        sums = self.sums
        inputs = self.network.inputs
        at = self.at + HIDDEN * view
        first = HIDDEN * feature
        for i in range(HIDDEN):
            sums[at + i] += inputs[first + i]

    def remove(self, view: int, feature: int) -> None:
        """Take a feature from a side's view."""
        sums = self.sums
        inputs = self.network.inputs
        at = self.at + HIDDEN * view
        first = HIDDEN * feature
        for i in range(HIDDEN):
            sums[at + i] -= inputs[first + i]

    def output(self, side: int) -> int:
        """The network's output, in hundredths of the unit, from the view of `side`, to act."""
        sums = self.sums
        outputs = self.network.outputs
        own = self.at + HIDDEN * side
        other = self.at + HIDDEN * (1 - side)
        total: int = self.network.output_bias
        for i in range(HIDDEN):
            value: int = sums[own + i]
            value = 0 if value < 0 else ONE if value > ONE else value
            total += value * outputs[i]
        for i in range(HIDDEN):
            value = sums[other + i]
            value = 0 if value < 0 else ONE if value > ONE else value
            total += value * outputs[HIDDEN + i]
        return total >> OUTPUT_SHIFT
