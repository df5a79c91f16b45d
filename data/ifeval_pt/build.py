"""Write the 308 rows of ifeval_pt: 14 base tasks x 22 restrictions, restriction after restriction.

    python data/ifeval_pt/build.py            writes ifeval_pt_input_data.jsonl beside this file
    python data/ifeval_pt/build.py --check    exits 1 when that file is not what would be written
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROWS = Path(__file__).with_name("ifeval_pt_input_data.jsonl")


@dataclass(frozen=True)
class Task:
    """A base task, in words that neither meet nor rule out any restriction.

    Attributes:
        prompt: The request.
        required: A word that suits the topic and that an answer need not have anyway.
        forbidden: A word that the topic invites and that an answer can do without.
        reader: Whom the answer speaks to.
    """

    prompt: str
    required: str
    forbidden: str
    reader: str = "o leitor"


@dataclass(frozen=True)
class Restriction:
    """What is asked of the form of an answer.

    Attributes:
        id: Instruction id.
        wording: The sentence that follows the base task; slots are filled from the task and the arguments.
        kwargs: The arguments of the verifier, the same for all tasks.
        word: The argument that lists a word of the task, and the attribute of `Task` that holds it.
    """

    id: str
    wording: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    word: tuple[str, str] | None = None


TASKS = (
    Task("Descreva uma feira livre em um domingo de sol.", "pastel", "frutas"),
    Task(
        "Escreva uma mensagem convidando um vizinho para a festa junina da rua.",
        "sanfona",
        "música",
        reader="o vizinho",
    ),
    Task("Ensine a preparar uma salada de frutas.", "limão", "banana"),
    Task("Conte uma história sobre um gato que tem medo de chuva.", "telhado", "água"),
    Task("Compare a vida no campo com a vida na cidade.", "silêncio", "trânsito"),
    Task("Dê conselhos a quem vai fazer uma entrevista de emprego.", "pontualidade", "empresa"),
    Task("Resuma a história da Chapeuzinho Vermelho.", "atalho", "vovó"),
    Task("Convença um amigo a ler antes de dormir.", "imaginação", "sono", reader="o amigo"),
    Task(
        "Escreva uma carta de agradecimento a uma professora.",
        "paciência",
        "aprendi",
        reader="a professora",
    ),
    Task(
        "Recomende a um turista um passeio pelo Rio de Janeiro.",
        "bondinho",
        "praia",
        reader="o turista",
    ),
    Task("Dê sua opinião sobre o uso do celular na sala de aula.", "recreio", "atenção"),
    Task("Explique o que é reciclagem.", "cooperativa", "plástico"),
    Task("Escreva um anúncio para vender uma bicicleta usada.", "garagem", "preço"),
    Task(
        "Explique a uma criança como nasce uma borboleta.",
        "jardim",
        "transformação",
        reader="a criança",
    ),
)

RESTRICTIONS = (
    Restriction("ptbr:crase", "Use crase pelo menos uma vez na resposta."),
    Restriction("ptbr:sem_crase", "Não use crase na resposta."),
    Restriction("ptbr:mesoclise", "Use mesóclise pelo menos uma vez na resposta, como em 'dar-lhe-ei'."),
    Restriction(
        "ptbr:proclise",
        "Use próclise pelo menos uma vez na resposta, depois de palavra atrativa, como em 'não me diga'.",
    ),
    Restriction("ptbr:enclise", "Use ênclise pelo menos uma vez na resposta, como em 'diga-me'."),
    Restriction("ptbr:porque_ambos", "Use 'por que' e 'porque' na mesma resposta."),
    Restriction("ptbr:cedilha", "Use pelo menos três palavras com ç na resposta."),
    Restriction("ptbr:sem_til", "Não use nenhum til (ã, õ) na resposta."),
    Restriction("ptbr:so_voce", "Trate {reader} por 'você' e nunca por 'tu'."),
    Restriction(
        "ptbr:sem_diacritico",
        "Não use nenhum acento ou cedilha na resposta (nada de á, â, ã ou ç).",
    ),
    Restriction("ptbr:sem_digito", "Não use algarismos na resposta: escreva os números por extenso."),
    Restriction(
        "ptbr:agudo_e_circunflexo",
        "Use na resposta pelo menos uma palavra com acento agudo e uma com acento circunflexo.",
    ),
    Restriction(
        "length_constraints:number_sentences",
        "A resposta deve ter pelo menos seis frases.",
        {"num_sentences": 6, "relation": "at least"},
    ),
    Restriction(
        "length_constraints:number_sentences",
        "A resposta deve ter no máximo três frases.",
        {"num_sentences": 3, "relation": "at most"},
    ),
    Restriction(
        "length_constraints:number_sentences",
        "A resposta deve ter exatamente quatro frases.",
        {"num_sentences": 4, "relation": "exactly"},
    ),
    Restriction(
        "length_constraints:number_words",
        "A resposta deve ter pelo menos {num_words} palavras.",
        {"num_words": 120, "relation": "at least"},
    ),
    Restriction(
        "length_constraints:number_words",
        "A resposta deve ter menos de {num_words} palavras.",
        {"num_words": 50, "relation": "less than"},
    ),
    Restriction(
        "keywords:existence", "Use a palavra '{required}' na resposta.", word=("keywords", "required")
    ),
    Restriction(
        "keywords:forbidden_words",
        "Não use a palavra '{forbidden}' na resposta.",
        word=("forbidden_words", "forbidden"),
    ),
    Restriction(
        "ptbr:comeca_com",
        "Comece a resposta com '{start_phrase}'.",
        {"start_phrase": "Antes de mais nada"},
    ),
    Restriction(
        "startend:end_checker",
        "Termine a resposta com '{end_phrase}' e não escreva nada depois.",
        {"end_phrase": "Até a próxima!"},
    ),
    Restriction("change_case:lowercase", "Use somente letras minúsculas na resposta."),
)


def row(key: int) -> dict[str, Any]:
    """The row with this key, in the columns of google/IFEval."""
    restriction, task = RESTRICTIONS[key // len(TASKS)], TASKS[key % len(TASKS)]
    kwargs = dict(restriction.kwargs)
    wording = restriction.wording.format(
        reader=task.reader, required=task.required, forbidden=task.forbidden, **kwargs
    )
    if restriction.word is not None:
        argument, attribute = restriction.word
        kwargs[argument] = [getattr(task, attribute)]
    return {
        "key": key,
        "prompt": f"{task.prompt} {wording}",
        "instruction_id_list": [restriction.id],
        "kwargs": [kwargs],
    }


def lines() -> Iterator[str]:
    """The rows as JSON lines, in the order of their keys."""
    for key in range(len(RESTRICTIONS) * len(TASKS)):
        yield json.dumps(row(key), ensure_ascii=False) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the file; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the file differs")
    parser.add_argument("--output", type=Path, default=ROWS, metavar="FILE", help="default: %(default)s")
    options = parser.parse_args(arguments)
    content = "".join(lines()).encode()
    output: Path = options.output
    if options.check:
        if output.is_file() and output.read_bytes() == content:
            return 0
        print(f"{output} is not what build.py writes; run: python {sys.argv[0]}", file=sys.stderr)
        return 1
    temporary = output.with_name(output.name + ".tmp")
    temporary.write_bytes(content)
    temporary.replace(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
