"""Kinds of Portuguese that use has shown to be misread: each with what looks like it and is something else."""

import pytest

from lm_eval_ifeval_pt import verify
from lm_eval_ifeval_pt.text import Text


@pytest.mark.parametrize(
    "text",
    [
        "Capitu o amava.",
        "O menino a viu.",
        "Bentinho os encontrou.",
        "A mãe as criou.",
        "Ninguém o viu.",
        "Ele o disse.",
        "A polícia o prendeu.",
        "Meu pai a conhecia bem.",
        "Os vizinhos o odeiam.",
        "Maria o convidou.",
        "O juiz os condenou.",
        "A chuva a molhou.",
        "Eu o vi.",
        "Capitu o amou.",
        "O povo o aclama.",
        "A menina o abraça.",
        "A dúvida a consome.",
        "O sol o aquece.",
    ],
)
def test_third_person_objects_after_a_subject(text):
    """O, a, os, as between a subject and its verb are pronouns, with no attractor: "Capitu o amava"."""
    assert verify("words:use_third_person", text, min_count=1).followed


@pytest.mark.parametrize(
    "text",
    [
        "O livro e a casa, os dois.",
        "Comeu o bolo.",
        "Maria comprou a casa.",
        "Chegou a hora.",
        "Foi a única.",
        "Era a cara do pai.",
        "João e a menina.",
        "Bentinho ama a moça.",
        "Pagou a conta e o jantar.",
        "O dia a dia cansa.",
        "Fui a pé.",
        "Começou a chover.",
        "Todo o gado morreu.",
        "Voltou a falar.",
        "O menino a cavalo caiu.",
        "Capitu, a amada.",
        "Viva o samba!",
        "Entre o gosto e o uso.",
        "Gente a dançar.",
        "Um barco a remo.",
        "Ficou a ver navios.",
        "Mãe a trabalhar.",
        "Deixe o corte secar.",
        "Ponha a mesa.",
        "A festa a fantasia começou.",
        "Pedro o carpinteiro.",
        "O trem a vapor apitou.",
        "Choveu o mês inteiro.",
    ],
)
def test_articles_and_prepositions_are_no_third_person(text):
    """Before a noun or an infinitive, o and a are article or preposition, whatever stands before them."""
    assert not verify("words:use_third_person", text, min_count=1).followed


@pytest.mark.parametrize(
    "text",
    [
        "Não vos esqueçais.",
        "Nunca o esqueças.",
        "Peço que as guardes.",
        "Quero que o uses bem.",
        "Não me deixeis só.",
        "Não nos deixeis cair em tentação.",
        "Não o façais.",
        "Que vos guardeis do mal.",
        "Ou me ajudas ou te vais.",
        "Ou sai ou se cala.",
        "Ora se ri, ora se chora.",
        "Quer me ajudes, quer não.",
        "Espero que a ames.",
        "Talvez os vejas.",
        "Não os percas.",
        "Não a deixes só.",
        "Sei que o queres.",
        "Quando o vires, avisa.",
        "Nunca as abras.",
        "Não nos esqueçais.",
        "Não os compres.",
        "Quando os vires, corre.",
        "Ora se cala ora se irrita.",
    ],
)
def test_proclises_with_tu_and_vos_and_in_pairs(text):
    """Forms of tu and vós take a pronoun too, and "ou", "ora", "quer" attract in pairs, with a comma or without."""
    assert verify("ptbr:proclise", text).followed


@pytest.mark.parametrize(
    "text",
    [
        "Não o lápis, a caneta.",
        "Sei que o ônibus vem.",
        "Que as flores venham.",
        "Quando as compras chegam.",
        "Não as partes, o todo.",
        "Mais os nomes.",
        "Que os vales sejam.",
        "Sempre os mesmos.",
        "Nada os gostos dizem.",
        "Como as obras são boas.",
        "Não o uso.",
        "Talvez as provas bastem.",
        "Onde as notas ficam.",
        "Que as guardas durmam.",
        "Quando as aulas começam.",
        "Embora os valores subam.",
        "Se os deveres são muitos.",
        "Não nos animais.",
    ],
)
def test_plurals_after_an_article_are_no_forms_of_tu(text):
    """ "Que as flores venham": a plural noun, though it looks like a form of tu or vós."""
    assert not verify("ptbr:proclise", text).followed


@pytest.mark.parametrize(
    "text",
    [
        "Vós poreis a mesa.",
        "Vós comporíeis um hino.",
        "Vós quiséreis partir.",
        "Segui o vosso coração e sede felizes.",
        "Vós poríeis a mesa.",
        "Vós dispondes de tempo.",
        "Vós fizéreis isso.",
        "Vós estivéreis lá.",
        "Vós supúnheis isso.",
        "Vós viréis? Não vos esqueçais.",
        "Que vós ponhais a mesa.",
        "Vós déreis tudo.",
        "Vós tivéreis razão.",
        "Vós compusestes um hino.",
        "Sede fortes, que convosco estou.",
        "Vós contradisséreis o rei.",
        "Sede bem-vindos, e convosco venha a paz.",
    ],
)
def test_strong_and_compound_forms_of_vos(text):
    """The forms of pôr and its compounds, strong preterites and "sede" are verb forms of vós."""
    assert verify("detectable_content:vos_address_verification", text).followed


@pytest.mark.parametrize(
    "text",
    ["A sede dos vossos clubes.", "Tenho sede de vossos rios.", "Na sede vossos amigos.", "Vossos hotéis são bons."],
)
def test_nouns_are_no_forms_of_vos(text):
    """Thirst, seats and plurals in -éis are no verb forms of vós."""
    assert not verify("detectable_content:vos_address_verification", text).followed


@pytest.mark.parametrize(
    "text",
    [
        "Foi o 7.º lugar.",
        "A 7.ª vez.",
        "art. 7.º da lei",
        "Às 7:00 em ponto.",
        "Saiu às 7 h.",
        "7º",
        "às 7h",
        "às 07:30",
        "Às 10:07.",
        "Chegou às 7 horas.",
        "7 h 30 min",
        "o 7° colocado",
        "Chega às 7 em ponto.",
        "Das 7 às 8 horas.",
        "Chega às 7.",
    ],
)
def test_ordinals_and_times_are_no_amounts(text):
    """7.º, 7:00 and "às 7 horas" do not mention the number 7."""
    assert not verify("count:include_specific_number", text, number=7).followed


@pytest.mark.parametrize(
    "text",
    [
        "Tinha 7 anos.",
        "São 7: leia.",
        "Dura 7 horas.",
        "7 homens",
        "Eram 7.",
        "São 7.Ontem",
        "Faz 7 °C.",
        "(7)",
        "7 heróis",
        "R$ 7,00",
        "7%",
        "7 km",
        "As 7 horas de sono.",
        "Deu pão às 7 irmãs.",
    ],
)
def test_amounts_are_amounts(text):
    """Units, currencies and punctuation leave a number a number; "7 horas" may be a duration."""
    assert verify("count:include_specific_number", text, number=7).followed


@pytest.mark.parametrize(
    "text",
    [
        "O navio fez dez nós por hora.",
        "O barco vai a 20 nós.",
        "Velocidade de 15 nós.",
        "Desatar nós cegos.",
        "Deu nós na corda.",
        "A rede tem nós apertados.",
        "Nós de marinheiro são úteis.",
        "Esses nós da madeira.",
        "Fazer nós em cordas.",
        "Há vários nós.",
        "Cem nós.",
        "A árvore tem nós e folhas.",
        "Uma rede com nós e arestas.",
        "A corda cheia de nós.",
        "Nós na garganta dificultam a fala.",
        "A madeira com nós é fraca.",
    ],
)
def test_knots_are_no_pronouns(text):
    """Knots are counted, tied or made of rope: none is a pronoun."""
    assert verify("forbidden:no_first_person", text).followed


@pytest.mark.parametrize(
    "text",
    [
        "Nós fomos.",
        "Entre nós dois.",
        "Todos nós vamos.",
        "Somos nós.",
        "Para nós, dez anos.",
        "Nós dois saímos.",
        "Com nós todos.",
        "Nós por nós.",
    ],
)
def test_nos_is_a_pronoun(text):
    """What is not a knot is we."""
    assert not verify("forbidden:no_first_person", text).followed


@pytest.mark.parametrize(
    "text",
    [
        "Vamos embora.",
        "Eu vou embora.",
        "Foram-se embora.",
        "Mandou-o embora.",
        "Ela ia embora.",
        "Vá embora!",
        "Ir-se embora é triste.",
        "Jogou tudo embora.",
        "Quero ir embora.",
        "Fomos embora cedo.",
        "Levaram embora o sofá.",
        "Já íamos embora.",
        "Vamo-nos embora.",
        "Ide embora.",
        "Saiu embora.",
        "Bora embora.",
    ],
)
def test_embora_after_a_verb_of_going_means_away(text):
    """ "Vamos embora", "mandou-o embora": away."""
    assert not verify("words:contrast_marker", text).followed


@pytest.mark.parametrize(
    "text", ["Saiu, embora chovesse.", "Embora cansado, foi.", "Foi feliz, embora pobre.", "Veio embora chovesse."]
)
def test_embora_is_a_conjunction(text):
    """ "Embora" that opens a clause contrasts."""
    assert verify("words:contrast_marker", text).followed


@pytest.mark.parametrize("text", ["Penso, logo existo.", "Estudou; logo, passou.", "Choveu. Logo, a rua molhou."])
def test_logo_joins_clauses(text):
    """ "Penso, logo existo": so."""
    assert verify("words:conjunction_count", text, min_count=1).followed


@pytest.mark.parametrize("text", ["Volto, logo depois saio.", "Veio logo.", "Logo cedo saiu.", "Entrou, logo na sala."])
def test_logo_is_an_adverb(text):
    """ "Logo depois", "logo cedo": soon."""
    assert not verify("words:conjunction_count", text, min_count=1).followed


@pytest.mark.parametrize("text", ["Nota 🔟!"])
def test_pictographs_of_numbers_are_digits(text):
    """The pictograph of ten is a number in digits."""
    assert not verify("ptbr:sem_digito", text).followed


@pytest.mark.parametrize(
    "text",
    [
        "Coloque uma xícara na caixa e puxe.",
        "Puxe a caixa.",
        "Mexa a massa e deixe na caixa.",
        "Encha a xícara.",
        "Lixo na caixa roxa.",
        "Peixe frito com abacaxi.",
        "Deixe o peixe de molho.",
        "O peixe baixou.",
        "Enxágue e enxugue a roupa.",
        "Puxe, mexa e deixe.",
        "Xícara de chá.",
        "Ameixa roxa madura.",
        "O xerife prendeu o bruxo.",
        "Taxa fixa.",
        "Remexa o caixote e ache o xale.",
        "Use o Excel.",
        "Eu amo The Beatles.",
        "Assisti Breaking Bad ontem.",
        "Obrigado.",
        "Oi!",
        "Bom dia!",
        "O filme The Good Place é ótimo.",
    ],
)
def test_short_portuguese(text):
    """Rare letters, quoted titles and greetings do not make a short Portuguese text foreign."""
    assert verify("language:response_language", text, language="pt").followed


@pytest.mark.parametrize(
    "text",
    [
        "São Paulo is a big city.",
        "I love São Paulo and a good caipirinha.",
        "Rio de Janeiro has beaches.",
        "João lives in Brasília.",
        "Gracias.",
        "Hola, ¿cómo estás?",
        "Hola",
        "Buenos días.",
        "Os nenos xogan no xardín.",
        "Muchas gracias, José.",
        "Conceição plays football.",
        "My name is João Conceição.",
        "Machado de Assis wrote novels.",
        "Fernanda Montenegro won.",
        "Merci beaucoup.",
        "Guten Tag, São Paulo.",
        "Conceição likes coffee.",
        "Hello, João.",
        "No sé.",
        "Bienvenidos.",
        "Por favor, ayúdame.",
        "Dona Flor e Seus Dois Maridos is a novel.",
        "¡Vamos, niños!",
        "A xente vai á praia.",
        "Thank you, São Paulo!",
        "Ayrton Senna da Silva was fast.",
    ],
)
def test_short_foreign_texts_with_portuguese_names(text):
    """The words around the names tell the language, not the names."""
    assert not verify("language:response_language", text, language="pt").followed


@pytest.mark.parametrize(
    "text",
    [
        "Tome vitamina C. Tome vitamina D.",
        "No século V. Morreu no VI.",
        "Aperte Ctrl + V. Pronto!",
        "Gabarito: C. Parabéns.",
        "Faça o plano B. Vamos.",
        "Vá do ponto A ao ponto B. Siga.",
        "Marque a letra A. Errou.",
        "A resposta é B. Parabéns!",
        "Marquei C. Errei.",
        "Pontos A e B. Trace.",
        "De A a Z. Leia tudo.",
        "Vitaminas A, D e E. Tome.",
        "Sangue tipo O. Doe.",
        "Um raio X. Aguarde.",
        "Dom Pedro I. Reinou pouco.",
        "O papa Pio X. Rezou.",
        "Ela mora no bloco B. Suba.",
        "No dia D. Desembarcaram.",
        "Pressione F. Saia.",
        "Chegou a hora H. Corra.",
        "Linguagem C. Compile.",
        "Sejam x e y. Some.",
        "Logo x = y. Prove.",
        "Tirei nota A. Comemorei.",
        "É o tamanho M. Compre.",
        "Camiseta G. Serve.",
        "A geração Z. Jovens.",
        "Veja o gráfico A. Compare.",
        "O grupo Z. Silva perdeu.",
        "O escritor C. Silva e o grupo A. Ganharam.",
        "Luís XIV. Reinou.",
        "Rei Carlos V. Abdicou.",
        "Malcolm X. Morreu.",
        "O time B. Venceu.",
        "A ala C. Fica lá.",
        "Estou na sala B. Venha.",
        "A cepa X. Espalhou-se.",
        "A proteína C. Medida.",
        "Vá à rua A. Vire.",
        "Complexo B. Tome.",
        "Série B. Jogos.",
        "Calcule o valor de x. Explique.",
        "Pegue o ônibus B. Desça lá.",
        "A reta r. Trace-a.",
        "Foi em 44 a.C. Morreu.",
    ],
)
def test_a_letter_after_what_takes_letters_ends_a_sentence(text):
    """Nouns that take letters, answers, keys, operators, series of letters and kings: two sentences each."""
    assert len(Text(text).sentences) == 2


@pytest.mark.parametrize(
    "text",
    [
        "João V. Silva chegou.",
        "O autor J. Silva veio.",
        "O presidente John F. Kennedy morreu.",
        "Machado de A. Silva leu.",
        "Capítulo V. Das penas",
        "A Cia. Vale cresceu.",
        "A 2. ed. Saiu ontem.",
        "O Profº. Silva veio.",
        "A temp. Máxima subiu.",
        "A temp. máx. foi alta.",
        "D. Maria saiu.",
        "S. Paulo pregou.",
        "G. H. Hardy escreveu.",
        "Leia J. R. R. Tolkien hoje.",
        "Segundo M. Bandeira, sim.",
        "O candidato J. Silva venceu.",
        "Trad. de J. Silva.",
        "Em 44 a.C. César morreu.",
    ],
)
def test_initials_and_abbreviations_end_no_sentence(text):
    """Before a surname, after a title, in a heading of a law: one sentence each."""
    assert len(Text(text).sentences) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Bolo de fubá\n\nMisture tudo.", ["Misture tudo."]),
        ("## Por que reciclar?\n\nPorque sim.", ["Por que reciclar?", "Porque sim."]),
        ("Leve:\n\n- água\n- pão", ["água", "pão"]),
        ("Vai viajar? Leve:\n1. água", ["Vai viajar?", "água"]),
        ("**Leve:**\n* água", ["água"]),
        ("Veja os passos:\n\na) Lave.\nb) Seque.", ["a) Lave.", "b) Seque."]),
        ("Receita\n=======\n\nMisture tudo.", ["Misture tudo."]),
        ("> # Título\n> Leia.", ["Leia."]),
        ("Fim.\n---\nOutro", ["Fim.", "Outro"]),
        ("Disse: sim.", ["Disse: sim."]),
        ("Ele disse:\n\nQuero paz.", ["Ele disse:", "Quero paz."]),
        ("#reciclar é bom", ["#reciclar é bom"]),
    ],
)
def test_headings_and_lead_ins_are_no_sentences(text, expected):
    """A Markdown heading or a list's lead-in without a final mark says nothing by itself; with one it does."""
    found = [text[start:end].strip("*") for start, end in Text(text).sentences]
    assert found == expected


def test_each_proclise_of_a_pair_is_one():
    """The evidence of paired "ou" holds attractor, pronoun and verb, and nothing of the other half."""
    text = "Ou me ajudas ou te vais."
    assert [text[start:end] for start, end in verify("ptbr:proclise", text).evidence] == ["Ou me ajudas", "ou te vais"]


def test_the_evidence_of_a_postscript_ends_with_a_word():
    """The marker and the whole word after it."""
    text = "Abraços.\nP.S.: volto logo."
    (span,) = verify("detectable_content:postscript", text, postscript_marker="P.S.").evidence
    assert text[slice(*span)] == "P.S.: volto"


def test_details_say_what_lacks():
    """A denied relative clause has the subjunctive, and what a próclise lacks is named."""
    assert "nenhuma frase que comece com “Eu”" in verify("br:sem_palavra_proibida_inicio", "Fui.", word="Eu").detail
    assert "em “te amo”, nenhuma atrai o pronome" in verify("ptbr:proclise", "Eu te amo.").detail
