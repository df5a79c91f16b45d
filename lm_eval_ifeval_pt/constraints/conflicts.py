"""Which instructions say something about each other: one implies, excludes or needs the other."""

from __future__ import annotations

from lm_eval_ifeval_pt.constraints.registry import Bound
from lm_eval_ifeval_pt.text import Text

_RELATED = frozenset(
    frozenset(pair)
    for pair in (
        ("ptbr:crase", "ptbr:sem_crase"),
        ("ptbr:crase", "ptbr:sem_diacritico"),
        ("ptbr:sem_crase", "ptbr:sem_diacritico"),
        ("ptbr:cedilha", "ptbr:sem_diacritico"),
        ("ptbr:sem_til", "ptbr:sem_diacritico"),
        ("ptbr:agudo_e_circunflexo", "ptbr:sem_diacritico"),
        ("ptbr:so_voce", "ptbr:sem_diacritico"),  # "você" has an accent
        ("change_case:lowercase", "change_case:capital"),
    )
)
_DEMANDED = {
    "keywords:existence": "keywords",
    "ptbr:comeca_com": "start_phrase",
    "startend:end_checker": "end_phrase",
}
"""The argument that holds words which a response must have."""


def related(instruction: Bound, other: Bound) -> bool:
    """Whether following one instruction makes it certain, or impossible, that the other is followed.

    Two of the same id are (at least six sentences, at most three), those of a declared pair, and an instruction that
    demands words together with a passive one that these words break ("limão" and no tilde).
    """
    ids = {instruction.constraint.id, other.constraint.id}
    return len(ids) == 1 or frozenset(ids) in _RELATED or _demands(instruction, other) or _demands(other, instruction)


def _demands(instruction: Bound, other: Bound) -> bool:
    """Whether the words that one demands break the other."""
    words = instruction.kwargs.get(_DEMANDED.get(instruction.constraint.id, ""))
    if not words or other.kind != "passive":
        return False
    return not other.verify(Text(words if isinstance(words, str) else " ".join(words))).followed
