"""“Se” that opens a condition (“só se chover”), told from the pronoun (“só se fala nisso”).

What decides: whether the form after "se" can be a future or imperfect subjunctive, the class of the word
before it, and whether something before that word governs an infinitive ("para melhor se adaptar").
"""

from __future__ import annotations

import re

from lm_eval_ifeval_pt.text import lexicon
from lm_eval_ifeval_pt.text.verbs import is_future_subjunctive, is_infinitive, is_verb

# Here "se" is a pronoun before any form: "quem se atrasar", "se se preferir", "não se preocupar", "onde se hospedar".
OPENERS = frozenset({"se", "quando", "quem", "enquanto", "conforme"})
_FREE = OPENERS | {"não", "nao", "ñ"}
_INDICATIVE = frozenset({"porque", "pq", "porquanto", "embora"})  # no future subjunctive follows these

# "como se fosse", "que se houver", "nem se quisesse".
_AS_IF = ("sse", "sses", "ssemos", "ssem", "ndo")
_IRREGULAR = re.compile(
    r"(?:(?:tiv|estiv|houv|pud|quis|soub|\w*vi)er|for|calhar|(?:estiv|houv|pud|quis|vi)esse|fosse)(?:em|m|mos)?"
)
_STRONG = re.compile(r"(?:\w*(?:fiz|pus|diss|troux|coub)er|der|vir)(?:em|mos)?")
_IMPERFECT = re.compile(r"\w+[aeiíêô]ss(?:e|em|emos)")
# Verbs that hardly take the pronoun.
_NEVER_REFLEXIVE = re.compile(
    r"(?:chov|nev|desej|prefer|precis|necessit|gost|consegu|falt|sobr|opt|ganh|ligu?|viaj|pag|compr|demor)[aei]r(?:em|mos)?"
)

# "Volte para casa, principalmente se viaja sozinha": a condition in any tense.
_FOCUS = frozenset({"principalmente", "especialmente", "particularmente", "inclusive"})
_ONLY = frozenset({"só", "apenas", "somente", "unicamente", "exclusivamente"})

# Adverbs that stand between what governs an infinitive and "se": "deve também se apresentar".
_INNER = frozenset({
    "sempre", "também", "tambem", "tb", "tbm", "só", "apenas", "já", "ja", "ainda", "logo", "nunca", "jamais",
    "nem", "sequer", "agora", "então", "depois", "assim", "quase",
})  # fmt: skip
_DEGREES = frozenset({"mais", "menos", "melhor", "pior", "bem", "mal", "muito", "pouco", "tanto"})
_PREPOSITIONS = frozenset({"para", "pra", "sem", "de", "por", "a", "em", "até", "após"})
_SUBJECTS = frozenset(
    {"tudo", "alguém", "alguem", "ninguém", "ninguem", "algo", "todos", "todas", "ambos", "ambas", "muitos", "alguns"}
)
_PERSONS = frozenset({"eu", "você", "vc", "ele", "ela", "nós", "vocês", "vcs", "eles", "elas", "gente"})
_GOVERNS = re.compile(
    r"dev\w+|pod\w+|poss\w+|quer\w*|quis\w*|precis\w+|cons[ei]g\w+|costum\w+|procur\w+|tent\w+|busc\w+|pretend\w+"
    r"|prefer\w+|prefir\w+|desej\w+|evit\w+|decid\w+|resolv\w+|bast\w+|convém|sab[ei]\w*|saib\w+|va[ims]\w*|vá|vão"
    r"|vou|foi|fui|foram|iam?|irá|irão|iria|é|era|seria|será|seja|preciso|necessário|importante|bom|fundamental|essencial|pena"
    r"|recomendável|aconselhável|possível|ideal"
)
_BEFORE_ONLY = frozenset({"basta", "procure", "procura", "deve", "devem", "vai", "vão", "quer", "é"})
_ASKS = re.compile(r"sei|sab(?:e\w*|ia\w*)|verifi\w+|pergunt\w+|confir\w+|vej\w+|cheque\w*|averig\w+|avali\w+")
_JOINS = frozenset({"e", "ou", "mas"})
_INFINITIVE = re.compile(r"\w[aei]r(?:-se)?(?!\w)")

# "que" after these and after verbs is a conjunction; elsewhere a relative ("quem", "tudo que se perder").
_BEFORE_CONJUNCTION = frozenset(
    {"nem", "mesmo", "só", "ainda", "claro", "certo", "óbvio", "evidente", "verdade", "certeza", "fato", "já"}
)
_HAVE = re.compile(r"t[eê]m|tenh\w+|tinh\w+|te(?:r\w*|ve)|tive\w+|temos|há|hav\w+|houv\w+|quer")
_WORD = re.compile(r"[^\W\d_]+")
_CLAUSE = re.compile(r"[^.!?…;:,()\n]*\Z")
_SENTENCE = re.compile(r"[^.!?…;:\n]*\Z")
_REACH = 80  # characters before the attractor that are looked at


def is_condition(before: str, kind: str, word: str, verb: str) -> bool:
    """Whether "se" between an attractor and a verb is the conjunction.

    `before` is the text in lower case that ends at the attractor `word`, `kind` the class of that word.
    """
    if word == "como":
        return verb.endswith(_AS_IF)  # “Corria como se voasse.”
    if kind == "relative" or word in _FREE or verb.endswith("ndo"):
        return False  # “Quem se atrasar perde.”
    future = is_future_subjunctive(verb) or _STRONG.fullmatch(verb) is not None
    if kind == "conjunction":
        if _IRREGULAR.fullmatch(verb):
            return True  # “Sei que se houver sol, iremos.”
        # “Sei que se chover, ficamos.”
        return future and (word in _INDICATIVE or (word in ("que", "q") and _is_conjunction(before)))
    before = before[-_REACH:]
    clause = _words(_CLAUSE, before)
    if future or _IRREGULAR.fullmatch(verb):
        return not _is_governed(before, clause, word, verb)  # “Só se chover.”
    if _IMPERFECT.fullmatch(verb):
        return word != "talvez" and not any(map(_joins_clauses, clause))  # “Só se chovesse.”
    if word in _FOCUS or (clause and _ASKS.fullmatch(clause[-1]) and kind == "adverb"):
        return not is_infinitive(verb)  # “Volte, principalmente se viaja só.”
    return not is_infinitive(verb) and _follows_request(clause, word)  # “Ligue já se gostou.”


def _words(part: re.Pattern[str], before: str) -> list[str]:
    match = part.search(before)
    return _WORD.findall(match[0]) if match else []


def _is_conjunction(before: str) -> bool:
    """Whether "que" at the end of this text joins a clause to a verb ("sei que"), and is no relative."""
    words = _words(_CLAUSE, before[-_REACH:])
    if not words:
        return False  # “Que se cansar, descanse.”
    last, earlier = words[-1], words[-2] if len(words) > 1 else ""
    if last == "de":  # "certeza de que", "lembre-se de que"; but "o livro de que"
        return earlier in _BEFORE_CONJUNCTION or earlier in ("se", "me", "te")  # “Tenho certeza de que se chover fico.”
    if last in _BEFORE_CONJUNCTION:
        return True  # “É claro que se chover fico.”
    if _HAVE.fullmatch(last) or (last.endswith("s") and not last.endswith("mos")):
        return False  # “Ela tem que se cuidar.”
    determiners = lexicon.groups("determiners")  # "a conta que se atrasar"
    # “Sei que se chover fico.”
    return last not in determiners and earlier not in determiners and earlier not in _PREPOSITIONS and is_verb(last)


def _is_governed(before: str, clause: list[str], word: str, verb: str) -> bool:
    """Whether an infinitive or future subjunctive that has the pronoun is called for: "se algo se quebrar"."""
    words = clause[:]
    last = words[-1] if words else ""
    if last in OPENERS or (last in _PERSONS and any(other in OPENERS for other in words[-3:-1])):
        return True  # “Se algo se quebrar, avise.”
    if _NEVER_REFLEXIVE.fullmatch(verb) or _IRREGULAR.fullmatch(verb):
        return False  # “Só se chover.”
    if word in _SUBJECTS:
        return last in _PREPOSITIONS  # “Foi feito para tudo se acabar.”
    inner = word in _INNER or (word.endswith("mente") and word not in _FOCUS)
    if not inner and word not in _DEGREES:
        return False  # “Talvez se cansar, durma.”
    while words and (words[-1] in _INNER or words[-2:] == ["cada", "vez"]):
        words = words[:-1] if words[-1] in _INNER else words[:-2]
    last = words[-1] if words else ""
    if last in _PREPOSITIONS:
        return not (last in ("a", "de") and word in ("mais", "menos"))  # “Leia para melhor se adaptar.”
    more = words != clause or (word == "mais" and ("não" in words or "nunca" in words))
    if more and word in _DEGREES and _GOVERNS.fullmatch(last):  # "vai cada vez mais se abrir", "não quis mais se abrir"
        return True  # “Não quis mais se abrir.”
    if not inner or (word in _ONLY and last not in _BEFORE_ONLY):
        return False  # “Pare só se cansar.”
    if _GOVERNS.fullmatch(last):
        return True  # “Deve também se apresentar.”
    if word in ("sempre", "nunca", "jamais") and not last:
        return True  # “Nunca se cansar é raro.”
    sentence = _SENTENCE.search(before)
    joined = last in _JOINS or not last or word == "nem"
    # “Vale sair e também se perder.”
    return joined and sentence is not None and _INFINITIVE.search(sentence[0]) is not None


def _follows_request(clause: list[str], word: str) -> bool:
    """Whether a clause up to the attractor asks for something: "ligue já (se gostou)", "use o celular só"."""
    words = clause[1:] if clause[:1] in (["não"], ["nunca"], ["e"]) else clause
    if not words or words[0].endswith("o") or not is_verb(words[0]) or _is_function_word(words[0]):
        return False  # “Hoje só se fala nisso.”
    return len(words) == 1 or (word in _ONLY and not any(map(_joins_clauses, words)))  # “Ligue já se gostou.”


def _is_function_word(word: str) -> bool:
    return word in lexicon.groups("attractors") or word in ("para", "contra", "entre", "sobre", "era", "é", "há", "foi")


def _joins_clauses(word: str) -> bool:
    return word in _JOINS or lexicon.groups("attractors").get(word) in ("conjunction", "relative")
