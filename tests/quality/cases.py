"""Agreement with hand-made cases of several data sets: `python -m tests.quality.cases`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from lm_eval_ifeval_pt.constraints.registry import ConstraintError, UnknownConstraint
from lm_eval_ifeval_pt.ifeval import dialects
from lm_eval_ifeval_pt.ifeval.scoring import Score, score
from tests.quality.gold import rows

CASES = "ifeval_cases.jsonl"
MORE_CASES = "ifeval_cases_2.jsonl"
"""Further texts with the expected strict verdict only; they name no data set."""
DIALECTS = {
    "capitu": "capitu",
    "gap-ufg": "gap_ufg",
    "google-pt": "google_pt",
    "pocket-lm": "ifeval_pt",
    "pt_en": "pt_en",
}
"""Our name of each dialect of the cases."""


class Outcome(NamedTuple):
    """A case that one of our constraints covers, and our verdicts on it."""

    case: dict[str, Any]
    score: Score

    @property
    def agrees(self) -> bool:
        """Whether both the strict and the loose verdict are the expected ones."""
        if "expected_loose" not in self.case:
            return bool(self.score.strict.followed == self.case["expected_strict"])
        expected = (self.case["expected_strict"], self.case["expected_loose"])
        return (self.score.strict.followed, self.score.loose.followed) == expected


def outcomes(name: str = CASES) -> Iterator[Outcome]:
    """The verdicts on each case that one of our constraints covers, as its data set's dialect binds and scores it."""
    for case in rows(name):
        dialect = dialects.get(DIALECTS[case["dialect"]])
        try:
            bound = dialect.bind(case["instruction_id"], case["kwargs"])
        except UnknownConstraint:
            continue
        (result,) = score(case["response"], [bound], dialect.variants)
        yield Outcome(case, result)


def further() -> Iterator[Outcome]:
    """The verdicts on the further cases, as `ifeval_pt` or else the first dialect that knows the id binds it."""
    for case in rows(MORE_CASES):
        for name in sorted(DIALECTS.values(), key="ifeval_pt".__ne__):
            dialect = dialects.get(name)
            try:
                bound = dialect.bind(case["instruction_id"], case["kwargs"])
            except ConstraintError:
                continue
            (result,) = score(case["response"], [bound], dialect.variants)
            yield Outcome(case, result)
            break


def main() -> None:
    """Print the mismatches, and the ids that no constraint covers."""
    found, more = list(outcomes()), list(further())
    wrong = [outcome for outcome in found if not outcome.agrees]
    wrong_more = [outcome for outcome in more if not outcome.agrees]
    for case, result in (*wrong, *wrong_more):
        print(f"{case.get('id', MORE_CASES)}  {case['instruction_id']} {case['kwargs']}")
        print(f"    {case['response']!r}\n    {case['why']}")
        print(f"    expected {case['expected_strict']}/{case.get('expected_loose', 'any')}, ", end="")
        print(f"got {result.strict.followed}/{result.loose.followed}: {result.strict.detail}")
    covered = {outcome.case["id"] for outcome in found}
    rest = Counter(case["instruction_id"] for case in rows(CASES) if case["id"] not in covered)
    print(f"{len(found) - len(wrong)} of {len(found)} cases agree (strict and loose)")
    print(f"{len(more) - len(wrong_more)} of {len(more)} further cases agree (strict)")
    print(f"{rest.total()} cases of {len(rest)} ids without a constraint: {', '.join(sorted(rest))}")


if __name__ == "__main__":
    main()
