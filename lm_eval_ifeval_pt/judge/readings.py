"""Scores, winners and claims read from a judge's text, which may be anything."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from unidecode import unidecode

from lm_eval_ifeval_pt.judge.rubric import Scale
from lm_eval_ifeval_pt.text.reasoning import answer_start

_LONGEST = 100_000  # characters of a verdict that are read
_MOST_OBJECTS = 200
_GREATEST = 1e9
_OBJECT = re.compile(r'\{\s*"')
_SCORE = re.compile(r"\bnota(?: final)?[\"*_]*\s*[:=]\s*[\"*_]*(-?\d{1,9}(?:[.,]\d{1,9})?)(?![\d.,]*\d)", re.I)
_WINNER = re.compile(r"\bvencedora[\"*_]*\s*[:=]\s*[\"*_]*(?:resposta )?(A|B|empate)\b", re.I)
_YES_OR_NO = {"true": True, "sim": True, "false": False, "não": False, "nao": False}
_BRACKETS = re.compile(r"\[\[(A|B|C)\]\]")


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """One verdict.

    Attributes:
        value: The score on the rubric's scale; of two answers 1 if A won, 0 if B did, 0.5 for a tie; the share of
            claims that the context supports. None where there is none.
        reason: The judge's own words.
        claims: The claims and whether each is supported (faithfulness).
        is_readable: Whether the verdict could be read; an answer that claims nothing is readable and has no value.
    """

    value: float | None
    reason: str
    claims: tuple[tuple[str, bool], ...] = ()
    is_readable: bool = True


def read_score(said: str, scale: Scale) -> JudgeVerdict:
    """A score: `"nota"` of the last JSON object that has one, else the last "Nota: …"; unreadable off the scale."""
    said = _answer(said)
    verdict = _last_object(said, "nota")
    value = _number(verdict.get("nota")) if verdict else None
    if verdict is None:
        matches = _SCORE.findall(said)
        value = _number(matches[-1]) if matches else None
    if value is None or not scale.min <= value <= scale.max:
        return _unreadable(said)
    return JudgeVerdict(value, _reason(verdict, said))


def read_winner(said: str) -> JudgeVerdict:
    """The winner: "vencedora" of the last JSON object with it, else "Vencedora: …", or [[A]], [[B]], [[C]] (tie)."""
    said = _answer(said)
    verdict = _last_object(said, "vencedora")
    if verdict is not None:
        winner = str(verdict["vencedora"]).strip().lower().removeprefix("resposta ").strip("\"'.*")
    else:
        matches = _WINNER.findall(said) or _BRACKETS.findall(said)
        winner = str(matches[-1]).lower() if matches else ""
    value = {"a": 1.0, "b": 0.0, "empate": 0.5, "c": 0.5, "tie": 0.5}.get(winner)
    return _unreadable(said) if value is None else JudgeVerdict(value, _reason(verdict, said))


def read_claims(said: str) -> JudgeVerdict:
    """The share of supported claims; without any claim there is no share."""
    said = _answer(said)
    verdict = _last_object(said, "afirmacoes")
    listed = verdict.get("afirmacoes") if verdict else None
    if not isinstance(listed, list):
        return _unreadable(said)
    claims = []
    for claim in listed:
        claim = _folded(claim) if isinstance(claim, dict) else {}
        supported = _YES_OR_NO.get(str(claim.get("apoiada")).lower())
        if supported is None:
            return _unreadable(said)
        claims.append((str(claim.get("afirmacao", "")), supported))
    value = sum(supported for _, supported in claims) / len(claims) if claims else None
    return JudgeVerdict(value, "", tuple(claims))


def _unreadable(said: str) -> JudgeVerdict:
    return JudgeVerdict(None, said, is_readable=False)


def _answer(said: str) -> str:
    """The text after the reasoning; of a very long one its end."""
    return said[answer_start(said) :][-_LONGEST:]


def _reason(verdict: Mapping[str, Any] | None, said: str) -> str:
    return str(verdict["justificativa"]) if verdict and "justificativa" in verdict else said


def _last_object(said: str, key: str) -> Mapping[str, Any] | None:
    return next((data for data in reversed(list(_objects(said))) if key in data), None)


def _objects(said: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, outermost ones only."""
    decoder = json.JSONDecoder(strict=False)  # judges put line breaks into strings
    position = 0
    for _ in range(_MOST_OBJECTS):
        opening = _OBJECT.search(said, position)
        if opening is None:
            return
        try:
            value, position = decoder.raw_decode(said, opening.start())
        except (ValueError, RecursionError):
            position = opening.end()
            continue
        if isinstance(value, dict):
            yield _folded(value)


def _folded(data: Mapping[str, Any]) -> dict[str, Any]:
    """An object with its keys in lower case and without accents: a judge writes "afirmações" where we do not."""
    return {unidecode(key).lower(): value for key, value in data.items()}


def _number(value: Any) -> float | None:
    """A number, also as text ("4", "4,5", "4/5"); None for anything else."""
    if isinstance(value, str):
        match = re.fullmatch(r"\s*(-?\d{1,9}(?:[.,]\d{1,9})?)\s*(?:/\s*\d{1,9}\s*)?", value)
        return float(match[1].replace(",", ".")) if match else None
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _GREATEST
    return float(value) if is_number else None
