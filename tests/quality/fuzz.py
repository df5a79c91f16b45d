"""Random Unicode through every verifier, and how their time grows: `python -m tests.quality.fuzz`.

No verifier may raise on any text, be stricter loosely than strictly, or show what does not lie in the response. Of
twice the text none may take more than 2.3 times as long. `--part 3/10` does a tenth of the work.
"""

from __future__ import annotations

import argparse
import random
import unicodedata
from collections.abc import Iterator
from functools import partial

from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.constraints.registry import Bound
from lm_eval_ifeval_pt.ifeval.dialects.capitu import CAPITU_COMPAT
from lm_eval_ifeval_pt.ifeval.dialects.eight_texts import eight_texts
from lm_eval_ifeval_pt.ifeval.scoring import score
from lm_eval_ifeval_pt.text import Text
from tests.quality.capitu import ARGUMENTS
from tests.quality.speed import HOSTILE, hostile, seconds

STRINGS = 100_000
LONG = 1_000_000
GROWTH = 2.3
"""How much longer twice the text may take."""

_LOOSE_EVERY = 10  # one of so many strings is also scored loosely, which takes many times as long
_SHORTEST = 0.02  # CPU seconds below which a growth cannot be measured
_SIZES = (50_000, 400_000)  # bytes: of the first look, and of the second where the first was suspicious

_RANGES = {
    "ASCII": (0x00, 0x7F),
    "Latin": (0xA0, 0x24F),
    "combining": (0x300, 0x36F),
    "Hebrew and Arabic": (0x590, 0x6FF),
    "direction and joiners": (0x200B, 0x202F),
    "punctuation": (0x2010, 0x205E),
    "Hangul": (0x1100, 0x11FF),
    "CJK": (0x3000, 0x30FF),
    "surrogates": (0xD800, 0xDFFF),
    "presentation": (0xFB00, 0xFB4F),
    "variation selectors": (0xFE00, 0xFE0F),
    "emoji": (0x1F300, 0x1FAFF),
    "tags": (0xE0000, 0xE007F),
    "anything": (0x0, 0x10FFFF),
}
_PIECES = [
    *("não ", "me diga ", "dar-lhe-ei ", "por que ", "à ", "Você ", "nos ", "eu ", "logo ", "além disso, ", "então "),
    *(
        "Sr. ",
        "etc. ",
        "1. ",
        "- ",
        "• ",
        "# ",
        "> ",
        "```\n",
        "**",
        "__",
        "`",
        "[a](http://b.c)",
        "<<",
        ">>",
        "******",
    ),
    *(
        "“",
        "”",
        '"',
        "'",
        "«",
        "»",
        "(",
        ")",
        "…",
        "?!",
        "; ",
        ": ",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        " ",
        "\u00a0",
        "\u2028",
    ),
    *("1.234,56", "R$ 5", "½", "²", "º", "P.S. ", "Seção 1", '{"a": 1}', "¿", "¡", "|---|", "<think>", "******"),
]


def strings(seed: int, number: int) -> Iterator[str]:
    """Random strings: letters of one script or of many, marks, pieces of Portuguese and of markup, composed or not.

    The last one is a megabyte in one line.
    """
    chance = random.Random(seed)
    ranges = list(_RANGES.values())
    for index in range(number):
        length = LONG if index == number - 1 else min(int(chance.expovariate(1 / 40)), 2000)
        low, high = chance.choice(ranges)
        made: list[str] = []
        size = 0
        while size < length:
            roll = chance.random()
            if roll < 0.45:
                made.append(chr(chance.randint(low, high)))
            elif roll < 0.6:
                made.append(chr(chance.randint(*chance.choice(ranges))))
            elif roll < 0.95:
                made.append(chance.choice(_PIECES))
            else:
                made.append(made[-1] * chance.randint(2, 30) if made else " ")
            size += len(made[-1])
        text = "".join(made)
        if length == LONG:
            text = text.replace("\n", " ")
        form = chance.choice(["NFC", "NFD", "NFKD", ""])
        yield unicodedata.normalize(form, text) if form and length < LONG else text


def verifiers() -> list[Bound]:
    """Every constraint with the arguments of two examples, and every rule of mode compat."""
    found = [
        constraint.bind(example.kwargs)
        for constraint in registry.constraints().values()
        for example in (constraint.follows[0], constraint.breaks[0])
    ]
    return found + [CAPITU_COMPAT.bind(id, kwargs) for id, kwargs in ARGUMENTS.items()]


def fuzz(seed: int, number: int) -> int:
    """Put random strings through every verifier; how many verdicts were given.

    Raises:
        AssertionError: with the string and the verifier at fault.
    """
    bounds, verdicts = verifiers(), 0
    for index, response in enumerate(strings(seed, number)):
        text = Text(response)
        loosely = index % _LOOSE_EVERY == 0 and len(response) < LONG
        for result in score(text, bounds, eight_texts if loosely else _none):
            verdicts += 1
            fault = (result.instruction.constraint.id, response[:200])
            assert result.loose.followed >= result.strict.followed, fault
            assert all(0 <= start <= end <= len(response) for start, end in result.strict.evidence), fault
    return verdicts


def _none(text: Text) -> tuple[Text, ...]:
    return ()


def growth(name: str, bound: Bound) -> tuple[float, float]:
    """CPU seconds for a hostile response, and how many times those for half of it; from the raw response."""
    for size in _SIZES:
        half = min(seconds(partial(_verify, hostile(name, size // 2), bound)) for _ in range(2))
        whole = min(seconds(partial(_verify, hostile(name, size), bound)) for _ in range(2))
        if whole < _SHORTEST or whole <= GROWTH * half:
            break
    return whole, whole / half if half else 0.0


def _verify(response: str, bound: Bound) -> None:
    bound.verify(Text(response))


def main() -> None:
    """Print what was done; fails with the first fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="1/1", help="k/n: the k-th of n parts of the strings and of the verifiers")
    parser.add_argument("--no-growth", action="store_true", help="leave the times out")
    arguments = parser.parse_args()
    part, parts = map(int, arguments.part.split("/"))
    number = STRINGS // parts
    spent = seconds(lambda: print(f"part {part} of {parts}: {fuzz(part, number):,} verdicts on {number:,} strings"))
    print(f"  no exception, none stricter loosely, all evidence in the response; {spent:.0f} s CPU", flush=True)
    if arguments.no_growth:
        return
    slow = []
    for bound in verifiers()[part - 1 :: parts]:
        for name in HOSTILE:
            whole, times = growth(name, bound)
            if whole >= _SHORTEST and times > GROWTH:
                slow.append(f"  {bound.constraint.id} on {name}: {whole:.3f} s, x{times:.2f}")
    print("\n".join(slow) if slow else f"  twice the text never takes more than {GROWTH} times as long")


if __name__ == "__main__":
    main()
