"""Agreement with hand-made cases of several data sets: `python -m tests.quality.cases`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from lm_eval_ifeval_pt import registry
from lm_eval_ifeval_pt.dialects import unmarked
from lm_eval_ifeval_pt.dialects.eight_texts import eight_texts
from lm_eval_ifeval_pt.registry import Bound
from lm_eval_ifeval_pt.scoring import Score, score
from tests.quality.gold import rows

CASES = "ifeval_cases.jsonl"
_RELATIONS = {"ao menos": "at least", "pelo menos": "at least"}
# Ids of other data sets that ask for the same: our id, our name of each argument, what their id implies.
_SAME: dict[str, tuple[str, dict[str, str], dict[str, Any]]] = {
    "change_case:portuguese_lowercase": ("change_case:lowercase", {}, {}),
    "count:exact_sentence_count": (
        "length_constraints:number_sentences",
        {"N": "num_sentences"},
        {"relation": "exactly"},
    ),
    "count:exact_word_count": (
        "length_constraints:number_words",
        {"target_words": "num_words"},
        {"relation": "exactly"},
    ),
    "count:max_word_count": (
        "length_constraints:number_words",
        {"max_words": "num_words"},
        {"relation": "at most"},
    ),
    "structure:end_with_word": ("startend:end_checker", {"end_word": "end_phrase"}, {}),
    "structure:start_with_word": ("ptbr:comeca_com", {"start_word": "start_phrase"}, {}),
}


class Outcome(NamedTuple):
    """A case that one of our constraints covers, and our verdicts on it."""

    case: dict[str, Any]
    score: Score

    @property
    def agrees(self) -> bool:
        """Whether both the strict and the loose verdict are the expected ones."""
        expected = (self.case["expected_strict"], self.case["expected_loose"])
        return (self.score.strict.followed, self.score.loose.followed) == expected


def bind(id: str, kwargs: dict[str, Any] | None) -> Bound | None:
    """Our constraint for an instruction of any data set, None where we have none."""
    own_id, names, implied = _SAME.get(id, (id.removeprefix("pt:"), {}, {}))
    if own_id not in registry.constraints():
        return None
    arguments = {names.get(name, name): value for name, value in (kwargs or {}).items()} | implied
    if "relation" in arguments:
        arguments["relation"] = _RELATIONS.get(arguments["relation"], arguments["relation"])
    return registry.get(own_id).bind(arguments)


def outcomes(name: str = CASES) -> Iterator[Outcome]:
    """The verdicts on each case that one of our constraints covers, with the loose texts of its data set."""
    for case in rows(name):
        bound = bind(case["instruction_id"], case["kwargs"])
        if bound:
            variants = unmarked if case["dialect"] == "pocket-lm" else eight_texts
            (result,) = score(case["response"], [bound], variants)
            yield Outcome(case, result)


def main() -> None:
    """Print the mismatches, and the ids that no constraint covers."""
    found = list(outcomes())
    wrong = [outcome for outcome in found if not outcome.agrees]
    for case, result in wrong:
        print(f"{case['id']}  {case['instruction_id']} {case['kwargs']}")
        print(f"    {case['response']!r}\n    {case['why']}")
        print(f"    expected {case['expected_strict']}/{case['expected_loose']}, ", end="")
        print(f"got {result.strict.followed}/{result.loose.followed}: {result.strict.detail}")
    covered = {outcome.case["id"] for outcome in found}
    rest = Counter(case["instruction_id"] for case in rows(CASES) if case["id"] not in covered)
    print(f"{len(found) - len(wrong)} of {len(found)} cases agree (strict and loose)")
    print(f"{rest.total()} cases of {len(rest)} ids without a constraint: {', '.join(sorted(rest))}")


if __name__ == "__main__":
    main()
