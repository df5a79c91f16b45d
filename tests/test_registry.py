"""How constraints are registered, found and given their arguments."""

import inspect

import pytest

from lm_eval_ifeval_pt import verify
from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.constraints.registry import BadKwargs, Constraint, Example, UnknownConstraint, constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text import Text


def optional(text: Text, *, limit: int | None = None, words: list[str] | str = "x") -> Verdict:
    """A verifier with optional arguments."""
    return Verdict(True)


def unsupported(text: Text, *, ratio: float) -> Verdict:
    """A verifier whose argument no data row can give."""
    return Verdict(True)


ARGUMENTS = dict(list(inspect.signature(optional, eval_str=True).parameters.items())[1:])
OPTIONAL = Constraint("test:optional", "", "active", (), (), optional, "", ARGUMENTS)


@pytest.mark.parametrize(
    ("id", "kwargs", "message"),
    [
        ("ptbr:crase", {"n": 1}, "ptbr:crase: unknown argument 'n'; it takes: none"),
        (
            "keywords:existence",
            {},
            "keywords:existence: argument 'keywords' (list of strings) is missing",
        ),
        ("keywords:existence", {"keywords": None}, "argument 'keywords' (list of strings) is missing"),
        ("keywords:existence", {"keyword": ["a"]}, "unknown argument 'keyword'; it takes: keywords"),
        ("keywords:existence", {"keywords": "a"}, "argument 'keywords' is 'a'; it must be: list of strings"),
        ("keywords:existence", {"keywords": []}, "argument 'keywords' is []"),
        ("keywords:existence", {"keywords": ["a", " "]}, "argument 'keywords' is ['a', ' ']"),
        ("keywords:existence", {"keywords": [1]}, "argument 'keywords' is [1]"),
        ("startend:end_checker", {"end_phrase": ""}, "argument 'end_phrase' is ''; it must be: string"),
        ("startend:end_checker", {"end_phrase": 3}, "argument 'end_phrase' is 3"),
        (
            "length_constraints:number_words",
            {"num_words": 2.5, "relation": "at least"},
            "argument 'num_words' is 2.5; it must be: integer",
        ),
        (
            "length_constraints:number_words",
            {"num_words": True, "relation": "at least"},
            "'num_words' is True",
        ),
        ("length_constraints:number_words", {"num_words": "2", "relation": "at least"}, "'num_words' is '2'"),
        (
            "length_constraints:number_words",
            {"num_words": 2, "relation": ["at least"]},
            "it must be: 'at least' | 'at most'",
        ),
    ],
)
def test_a_wrong_argument_is_named(id, kwargs, message):
    """The error says which constraint, which argument, what it got and what is allowed."""
    with pytest.raises(BadKwargs) as error:
        registry.get(id).bind(kwargs)
    assert message in str(error.value)
    assert id in str(error.value)


def test_integral_floats_are_integers():
    """Arrow and pandas hold the integers of a column with gaps as floats."""
    bound = registry.get("length_constraints:number_words").bind({"num_words": 3.0, "relation": "at least"})
    assert bound.kwargs == {"num_words": 3, "relation": "at least"}
    assert isinstance(bound.kwargs["num_words"], int)


@pytest.mark.parametrize("kwargs", [None, {}, {"limit": None, "words": None}])
def test_absent_arguments_keep_their_defaults(kwargs):
    """No kwargs, no entry and a null entry are the same; the verifier's own default is used."""
    assert OPTIONAL.bind(kwargs).kwargs == {}


@pytest.mark.parametrize("kwargs", [{"limit": 0}, {"words": "a"}, {"words": ["a", "b"]}, {"limit": 2, "words": ["a"]}])
def test_optional_arguments_of_either_type_are_taken(kwargs):
    """Zero is a value, and each member of a union is allowed."""
    assert OPTIONAL.bind(kwargs).kwargs == kwargs


def test_an_unknown_id_is_answered_with_the_nearest():
    """A misspelt id names the likely ones; an alien one says where to look."""
    with pytest.raises(UnknownConstraint, match=r"'ptbr:crases'; did you mean ptbr:crase"):
        registry.get("ptbr:crases")
    with pytest.raises(UnknownConstraint, match="lm-eval-pt ls"):
        registry.get("zzz")


def register(check, id="test:x", examples=2):
    """Try to register a verifier."""
    texts = [Example("a")] * examples
    return constraint(id, wording="", kind="active", follows=texts, breaks=texts)(check)


@pytest.mark.parametrize(
    ("check", "options", "message"),
    [
        (optional, {"id": "ptbr:crase"}, "'ptbr:crase' is defined twice"),
        (optional, {"examples": 1}, "two examples"),
        (lambda text: Verdict(True), {}, "docstring"),
        (unsupported, {}, "parameter 'ratio'"),
    ],
)
def test_a_bad_definition_is_refused(check, options, message):
    """A duplicate id, missing examples or docstring and an impossible type stop the import, not a run."""
    with pytest.raises(TypeError, match=message):
        register(check, **options)
    assert "test:x" not in registry.constraints()


@pytest.mark.parametrize("response", ["", " \n\t", "\u200b\ufeff", "\u00a0"])
def test_an_empty_response_follows_nothing(response):
    """Nothing, white space and invisible characters follow no constraint, passive ones included."""
    for constraint_ in registry.constraints().values():
        assert not constraint_.bind(constraint_.follows[0].kwargs).verify(Text(response)).followed


def test_verify_takes_a_response_as_written():
    """The Python interface binds, normalises and verifies; evidence are offsets into what was given."""
    verdict = verify("keywords:existence", "Beba a\u0301gua!", keywords=["água"])
    assert verdict
    assert verdict.evidence == ((5, 10),)
    assert verdict.as_dict() == {
        "followed": True,
        "evidence": [[5, 10]],
        "detail": "A resposta contém “água”.",
    }
