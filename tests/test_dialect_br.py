"""The instructions of brcampidelli's IFEval-PT."""

import json

import pytest

from lm_eval_ifeval_pt import ifeval
from lm_eval_ifeval_pt.constraints.registry import BadKwargs, UnknownConstraint
from lm_eval_ifeval_pt.ifeval.dialects import br
from lm_eval_ifeval_pt.ifeval.dialects.br import BR
from lm_eval_ifeval_pt.ifeval.rows import RowsError
from lm_eval_ifeval_pt.text import Text

# Kind, arguments, a response that follows and one that does not.
KINDS = [
    ("n_palavras", {"minimo": 2, "maximo": 3}, "Mar e sol.", "Mar."),
    ("n_palavras", {"minimo": "três"}, "Mar e sol.", "Mar, sol."),
    ("n_palavras", {"maximo": "2"}, "Mar — sol.", "Mar e sol."),
    ("n_frases", {"exato": 2}, "O Sr. Sá veio. Saiu.", "O Sr. Sá veio."),
    ("n_frases", {"minimo": 1, "maximo": 2}, "Sim. Não.", "Sim. Não. Talvez."),
    ("n_paragrafos", {"exato": "dois"}, "Um.\n\nDois.", "Um.\nDois."),
    ("n_paragrafos", {"minimo": 2}, "Um.\n\nDois.\n\nTrês.", "Um."),
    ("sem_virgula", {}, "Mar e sol.", "Mar, sol."),
    ("contem_palavra", {"palavra": "ação", "vezes": 2}, "A ação e a AÇÃO.", "A ação e as ações."),
    ("contem_palavra", {"palavra": "ação"}, "A ação.", "O coração."),
    ("nao_contem", {"palavras": ["pais"]}, "O país.", "Os pais."),
    ("nao_contem", {"palavras": "não"}, "Sim.", "Nao."),
    ("tudo_maiusculo", {}, "AÇÃO!", "AÇãO!"),
    ("tudo_minusculo", {}, "ação!", "Ação!"),
    ("envolvido_em_aspas", {}, "«ação»", "ação"),
    ("envolvido_em_aspas", {}, "“ação”", '"a" e "b"'),
    ("e_json_valido", {}, '```json\n{"a": 1}\n```', '{"a": '),
    ("n_marcadores", {"minimo": 3}, "- a\n• b\n3. c", "- a\n-5\n---"),
    ("n_marcadores", {"exato": 1}, "* a", "* a\n* b"),
    ("n_marcadores", {}, "- a", "a"),
    ("tem_titulo_markdown", {}, "# Mar\n\nÉ sal.", "É sal.\n\n# Mar"),
    ("tem_titulo_markdown", {"nivel": 2}, "## Mar", "# Mar"),
    ("termina_com", {"texto": "Espero ter ajudado."}, "Mar. Espero ter ajudado.", "Espero ter ajudado. Mar."),
    ("comeca_com", {"texto": "Vamos lá"}, "Vamos lá: mar.", "Vamos laçar."),
    ("n_secoes", {"separador": "---", "minimo": 3}, "a\n---\nb\n---\nc", "a\n---\nb"),
    ("n_secoes", {"separador": "---"}, "a\n---\nb", "a"),
    ("sem_numeros", {}, "três", "3"),
    ("repete_pedido", {"pedido": "Fale do mar"}, "Fale do mar: é sal.", "Fale: do mar."),
    ("duas_respostas", {}, "mar ****** sol", "mar ****** mar"),
    ("sem_palavra_proibida_inicio", {"palavra": "Eu"}, "Ontem eu fui.", "Ontem fui. Eu voltei."),
    ("n_caracteres", {"minimo": 4}, "ação", "ais"),
    ("n_caracteres", {"maximo": 4}, "ac\u0327a\u0303o", "ações"),
    ("idioma_portugues", {}, "O mar é azul e grande.", "The sea is blue and very large today."),
]


@pytest.mark.parametrize("prefix", ["", "br:"])
@pytest.mark.parametrize(("kind", "kwargs", "follows", "breaks"), KINDS)
def test_kinds(prefix, kind, kwargs, follows, breaks):
    """All 21, whatever way numbers are written; once bound they are bound to the same again."""
    bound = BR.bind(prefix + kind, kwargs)
    assert bound.verify(Text(follows)).followed, bound
    assert not bound.verify(Text(breaks)).followed, bound
    assert BR.bind(bound.constraint.id, bound.kwargs) == bound


def test_all_kinds_are_there():
    """21 of them."""
    assert len({kind for kind, *_ in KINDS}) == 21


@pytest.mark.parametrize(
    ("kind", "kwargs", "message"),
    [
        ("n_frases", {}, "one of exato, minimo, maximo is needed"),
        ("n_paragrafos", {"minimo": 1, "maximo": 2}, "one of exato, minimo, maximo is needed"),
        ("n_palavras", {"minimo": "muitas"}, "'muitas' is no number"),
        ("duas_respostas", {"separador": "---"}, "'---' is not supported"),
        ("contem_palavra", {}, "keyword"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(kind, kwargs, message):
    """None is guessed."""
    with pytest.raises(BadKwargs, match=message):
        BR.bind(kind, kwargs)


def test_other_kinds_are_unknown():
    """And not taken for followed or not."""
    with pytest.raises(UnknownConstraint):
        BR.bind("n_emojis", {})


def test_rows_are_read_as_they_are_published(tmp_path):
    """One object per instruction becomes an id and its arguments."""
    row = {
        "id": "x_1",
        "prompt": "Fale do mar em exatamente duas frases, sem vírgulas.",
        "instrucoes": [{"tipo": "n_frases", "exato": "duas"}, {"tipo": "sem_virgula"}],
        "categoria": "texto",
        "n_instrucoes": 2,
    }
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    (document,) = ifeval.load_dataset("brcampidelli", "br", source=str(path))["test"]
    assert document["key"] == "x_1"
    assert document["instruction_id_list"] == ["length_constraints:number_sentences", "punctuation:no_comma"]
    assert ifeval.process_results(document, ["Mar. Sal."])["prompt_level_strict_acc"] == 1
    with pytest.raises(RowsError, match="instrucoes must be a list"):
        list(br.rows_of([{"id": 1}]))
