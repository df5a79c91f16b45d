"""Every text of the report, in Portuguese and in English: {key: (pt, en)}."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from lm_eval_ifeval_pt.report.curve_strings import CURVES

Language = Literal["pt", "en"]

STRINGS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        # page
        "title": ("Relatório de avaliação", "Evaluation report"),
        "skip": ("Pular para o conteúdo", "Skip to content"),
        "sections": ("Seções", "Sections"),
        "language": ("English", "Português"),
        "theme": ("Claro/escuro", "Light/dark"),
        "made": (
            "{models} modelo(s), {tasks} tarefa(s), {items} respostas. Gerado por {package}.",
            "{models} model(s), {tasks} task(s), {items} answers. Made by {package}.",
        ),
        "notes": ("Avisos da leitura ({count})", "Notes from reading ({count})"),
        "no_script": (
            "Sem JavaScript não aparecem os gráficos, as matrizes de pares e os itens; as outras tabelas, sim.",
            "Without JavaScript there are no charts, matrices of pairs and items; the other tables are here.",
        ),
        "chart_below": ("Os números estão na tabela.", "The numbers are in the table."),
        "download": ("Baixar {kind}", "Download {kind}"),
        "download_of": ("Baixar {kind}: {name}", "Download {kind}: {name}"),
        # leaderboard
        "leaderboard": ("Placar: {task}", "Leaderboard: {task}"),
        "model": ("Modelo", "Model"),
        "prompt_strict": ("Estrito %", "Strict %"),
        "prompt_loose": ("Frouxo %", "Loose %"),
        "instruction_strict": ("Por instrução %", "By instruction %"),
        "active": ("Ativas %", "Active %"),
        "passive": ("Passivas %", "Passive %"),
        "active_kind": ("ativa", "active"),
        "passive_kind": ("passiva", "passive"),
        "all_kinds": ("Todas", "All"),
        "active_kinds": ("Ativas", "Active"),
        "passive_kinds": ("Passivas", "Passive"),
        "answers": ("Respostas", "Answers"),
        "interval_help": (
            "Entre parênteses, o intervalo de 95 %: no placar, com tarefas-base e restrições como agrupamentos; "
            "em ativas, passivas e no mapa, o de Wilson.",
            "In brackets, the 95% interval: of the overall scores, clustered by base task and restriction; of active, "
            "passive and in the map, Wilson's.",
        ),
        "honest": (
            "{n} prompts, {tasks} tarefas-base. Com outros prompts como estes, a taxa pode variar ±{margin} pontos; "
            "com outras tarefas-base e restrições, ±{wide} pontos. Dois modelos nos mesmos prompts só se distinguem a "
            "partir de uns {detectable} pontos (poder de 80 %).",
            "{n} prompts, {tasks} base tasks. With other prompts like these the rate may be off by ±{margin} points; "
            "with other base tasks and restrictions, by ±{wide} points. Two models on the same prompts are told apart "
            "from about {detectable} points on (80% power).",
        ),
        "score_axis": ("respostas que seguiram, % (intervalo de 95 %)", "answers that followed, % (95% interval)"),
        "score_chart": (
            "Gráfico: a taxa estrita de cada modelo com seu intervalo de 95 %, em todas as restrições, nas ativas e "
            "nas passivas. A tabela acima tem os mesmos números.",
            "Chart: the strict rate of each model with its 95% interval, over all restrictions, active and passive "
            "ones. The table above has the same numbers.",
        ),
        "value": ("valor", "value"),
        "from": ("de", "from"),
        "to": ("a", "to"),
        "ties": ("Não se distinguem: {groups}.", "Cannot be told apart: {groups}."),
        # pairs
        "pairs": ("Comparações pareadas", "Paired comparisons"),
        "pairs_help": (
            "A − B nas mesmas perguntas, em pontos, com intervalo de 95 % agrupado por tarefa-base. p: teste exato de "
            "McNemar (ou t), corrigido por Holm para todos os pares da tarefa. Clique em um par para ver onde diferem.",
            "A − B on the same documents, in points, with the 95% interval clustered by base task. p: McNemar's exact "
            "test (or t), after Holm over all pairs of the task. Click a pair to see where they differ.",
        ),
        "pairs_of": ("Comparações pareadas: {task}", "Paired comparisons: {task}"),
        "pairs_count": ("{pairs} pares, {apart} se distinguem.", "{pairs} pairs, {apart} told apart."),
        "interesting": (
            "Os pares que mais interessam ({count}): cada modelo com o seguinte, e o melhor com os que dele não se "
            "distinguem",
            "The pairs that matter most ({count}): each model with the next, and the best with all that are not told "
            "apart from it",
        ),
        "matrix_of": (
            "{task}: diferença entre o modelo da linha e o da coluna; * onde se distinguem",
            "{task}: difference of the model in the row and that in the column; * where they are told apart",
        ),
        "matrix_help": (
            "Linha − coluna, do melhor ao pior; * e cor onde os dois se distinguem (p ≤ 0,05 após Holm). Clique em uma "
            "célula para ver onde diferem.",
            "Row − column, from the best to the worst; * and colour where the two are told apart (p ≤ 0.05 after "
            "Holm). Click a cell to see where they differ.",
        ),
        "pairs_chart": (
            "Gráfico: a diferença de cada par com seu intervalo de 95 %; a linha tracejada é zero, nenhuma diferença. "
            "A tabela abaixo tem os mesmos números.",
            "Chart: the difference of each pair with its 95% interval; the dashed line is zero, no difference. The "
            "table below has the same numbers.",
        ),
        "pairs_axis": ("diferença em pontos (intervalo de 95 %)", "difference in points (95% interval)"),
        "pair": ("A − B", "A − B"),
        "difference": ("Diferença", "Difference"),
        "elsewhere": ("Com outras restrições", "With other restrictions"),
        "only_a": ("Só A", "Only A"),
        "only_b": ("Só B", "Only B"),
        "detectable": ("Detectável", "Detectable"),
        "p_holm": ("p (Holm)", "p (Holm)"),
        "apart": ("Distinguem-se", "Told apart"),
        "yes": ("sim", "yes"),
        "no": ("não", "no"),
        # npm
        "npm": ("NPM por suíte", "NPM by suite"),
        "npm_help": (
            "NPM = 100 × (nota − acaso) / (máximo − acaso): 0 é o acaso, 100 o máximo. ± erro-padrão. Modelos que os "
            "dados não separam dividem a posição. Médias com tarefas faltando não são dadas.",
            "NPM = 100 × (score − chance) / (maximum − chance): 0 is chance, 100 the maximum. ± standard error. Models "
            "that the data cannot separate share a rank. Averages with missing tasks are withheld.",
        ),
        "npm_chart": (
            "Gráfico: as médias de NPM de cada modelo com seu intervalo de 95 %. A tabela acima tem os mesmos números.",
            "Chart: the NPM averages of each model with their 95% interval. The table above has the same numbers.",
        ),
        "npm_axis": ("NPM, com intervalo de 95 %", "NPM, 95% interval"),
        "rank": ("Posição", "Rank"),
        "incomplete": ("{present} de {total} tarefas", "{present} of {total} tasks"),
        # other tasks
        "scores": ("Outras tarefas", "Other tasks"),
        "tasks": ("Placar por tarefa", "Leaderboard by task"),
        "scores_help": (
            "Entre parênteses, o intervalo de 95 %. Sublinhado: nenhum outro modelo é significativamente melhor na "
            "tarefa (teste pareado, Holm). Ordem: posição média.",
            "In brackets, the 95% interval. Underlined: no other model is significantly better on the task (paired "
            "test, Holm). Order: mean rank.",
        ),
        "echo_rate": ("Ecos %", "Echoes %"),
        "echo_help": (
            "Ecos: respostas em que mais da metade das palavras repete o prompt, que já traz as palavras que pede.",
            "Echoes: answers of which more than half of the words repeat the prompt, which holds the words it asks "
            "for.",
        ),
        "task": ("Tarefa", "Task"),
        "metric": ("Métrica", "Metric"),
        # heat map
        "map": ("Restrições: {task}", "Restrictions: {task}"),
        "restriction": ("Restrição", "Restriction"),
        "kind": ("Tipo", "Kind"),
        "show": ("Mostrar", "Show"),
        "strict": ("estrito", "strict"),
        "loose": ("frouxo", "loose"),
        "accidental": ("sem pedir", "unasked"),
        "lift": ("ganho", "lift"),
        "corrected": ("corrigido", "corrected"),
        "corrected_score": ("Corrigido %", "Corrected %"),
        "accident_help": (
            "Sem pedir: com que frequência as outras respostas da mesma tarefa-base, que não a pediam, seguem a "
            "restrição. Ganho: pedida menos sem pedir, em pontos (intervalo t pareado por tarefa-base); * onde pedir "
            "fez diferença (teste exato, Benjamini-Hochberg, 5\u00a0%). Corrigido: ganho ÷ (100 − sem pedir); – onde "
            "mal se pode falhar.",
            "Unasked: how often the other answers of the same base task, which did not ask for it, follow it. "
            "Lift: asked less unasked, in points (t interval, paired by base task); * where asking made a difference "
            "(exact test, Benjamini-Hochberg, 5%). Corrected: lift ÷ (100 − unasked); – where it can hardly be failed.",
        ),
        "map_help": (
            "Taxa em %, com o intervalo de Wilson de 95 %. Com poucos itens por restrição, os intervalos são largos: "
            "só extremos se comparam. Clique em uma restrição para ver seus itens.",
            "Rate in %, with the 95% Wilson interval. With few items per restriction intervals are wide: compare "
            "extremes only. Click a restriction to see its items.",
        ),
        "sort": ("Ordenar por {column}", "Sort by {column}"),
        # behind the scores
        "fields": ("Por campo dos documentos", "By field of the documents"),
        "fields_help": (
            "A nota nos documentos com cada valor do campo, em %, com intervalo de 95 %. Clique em um valor para ver "
            "seus itens.",
            "The score on the documents of each value of the field, in %, with the 95% interval. Click a value to see "
            "its items.",
        ),
        "fields_of": ("{task} por {field}", "{task} by {field}"),
        "letters": ("Letras escolhidas", "Letters chosen"),
        "letters_help": (
            "Para cada letra: % escolhida − % certa (acertos/vezes em que é a certa). Deslocadas: % das escolhas que "
            "teriam de ser outras para que cada letra fosse escolhida tanto quanto é certa; 0 é nenhum viés.",
            "For each letter: % chosen − % right (hits/times it is right). Moved: % of the choices that would have to "
            "be others for each letter to be chosen as often as it is right; 0 is no bias.",
        ),
        "letters_of": ("Letras escolhidas: {task}", "Letters chosen: {task}"),
        "moved": ("Deslocadas %", "Moved %"),
        "lengths": ("Nota por tamanho da resposta", "Score by length of the answer"),
        "lengths_help": (
            "A nota em % de cada quarto das respostas, das mais curtas às mais longas (entre parênteses, de quantas a "
            "quantas palavras). ρ: correlação de postos de Spearman entre palavras e nota.",
            "The score in % of each quarter of the answers, from the shortest to the longest (in brackets, from how "
            "many words to how many). ρ: Spearman's rank correlation of words and score.",
        ),
        "lengths_of": ("Nota por tamanho da resposta: {task}", "Score by length of the answer: {task}"),
        "median_words": ("Palavras (mediana)", "Words (median)"),
        "rho": ("ρ", "ρ"),
        "quarter": ("{number}º quarto", "Quarter {number}"),
        "seen": ("Itens vistos no corpus", "Items seen in the corpus"),
        "seen_help": (
            "Visto: o corpus contém {percent} % ou mais das palavras da pergunta, em sequências longas. Itens vistos e "
            "limpos são itens diferentes: os vistos podem ser mais fáceis. Um modelo que não leu o corpus mostra "
            "quanto; com dois modelos, a linha A - B desconta isso. p: Fisher, ou Welch.",
            "Seen: the corpus holds {percent} % or more of the question's words, in long runs. Seen and clean items "
            "are different items: seen ones may be easier. A model that has not read the corpus shows by how much; "
            "with two models, the row A - B takes that out. p: Fisher, or Welch.",
        ),
        "seen_counts": (
            "Documentos de que o corpus contém ao menos essa parte",
            "Documents of which the corpus holds at least so much",
        ),
        "seen_scores": ("Notas em itens vistos e limpos", "Scores on seen and clean items"),
        "documents": ("Documentos", "Documents"),
        "sought": ("Procurados", "Looked for"),
        "all_items": ("Todos %", "All %"),
        "clean_items": ("Limpos %", "Clean %"),
        "clean_count": ("n limpos", "n clean"),
        "seen_items": ("Vistos %", "Seen %"),
        "seen_count": ("n vistos", "n seen"),
        "seen_less_clean": ("Vistos − limpos", "Seen − clean"),
        "p": ("p", "p"),
        "seen_share": ("O corpus contém {percent} % da pergunta.", "The corpus holds {percent} % of the question."),
        # items
        "field": ("Campo", "Field"),
        "differences": ("Marcar as diferenças entre A e B", "Mark the differences of A and B"),
        "differences_help": (
            "Marcado: as palavras que só esta resposta tem, em relação à outra.",
            "Marked: the words that only this answer has, compared with the other.",
        ),
        "too_long": (
            "Longas demais para marcar as diferenças.", "Too long for marking the differences."
        ),
        "repeated": ("repetido do prompt", "repeated from the prompt"),
        "rests_on_echo": ("apoia-se no que repete do prompt", "rests on what it repeats of the prompt"),
        "echo_marks": (
            "Sublinhado com pontos: o que repete do prompt.", "Dotted underline: what repeats the prompt."
        ),
        "items": ("Itens", "Items"),
        "filters": ("Filtros", "Filters"),
        "model_a": ("Modelo A", "Model A"),
        "model_b": ("Modelo B", "Model B"),
        "outcome": ("Resultado", "Outcome"),
        "any": ("todos", "all"),
        "a_yes": ("A passou", "A passed"),
        "a_no": ("A não passou", "A did not pass"),
        "a_loose": ("A passou só no frouxo", "A passed only loosely"),
        "a_not_b": ("A passou, B não", "A passed, B did not"),
        "b_not_a": ("B passou, A não", "B passed, A did not"),
        "differ": ("A e B diferem", "A and B differ"),
        "disagree": ("os modelos discordam", "the models disagree"),
        "base": ("Tarefa-base", "Base task"),
        "search": ("Buscar em prompts e respostas", "Search prompts and answers"),
        "reset": ("Limpar filtros", "Clear filters"),
        "found": ("{found} de {total} itens", "{found} of {total} items"),
        "none_found": ("Nenhum item com esses filtros.", "No item with these filters."),
        "more": ("Mostrar mais {count}", "Show {count} more"),
        "choose": ("Escolha um item da lista.", "Choose an item from the list."),
        "item": ("Item {key}", "Item {key}"),
        "previous": ("Anterior", "Previous"),
        "next": ("Próximo", "Next"),
        "others": ("Outros modelos ({count})", "Other models ({count})"),
        "prompt": ("Prompt", "Prompt"),
        "sent": ("Prompt como foi enviado", "Prompt as sent"),
        "asked": ("O que se pediu", "What was asked"),
        "followed": ("seguiu", "followed"),
        "not_followed": ("não seguiu", "did not follow"),
        "loosely": ("só no frouxo", "only loosely"),
        "right": ("acertou", "right"),
        "wrong": ("errou", "wrong"),
        "no_answer": ("Este modelo não respondeu a este item.", "This model has no answer to this item."),
        "empty": ("(resposta vazia)", "(empty answer)"),
        "no_text": ("O relatório foi gerado sem textos.", "The report was made without texts."),
        "rest": ("Mostrar os outros {count} caracteres", "Show the other {count} characters"),
        "target": ("Gabarito", "Target"),
        "choices": ("Opções e log-verossimilhança", "Choices and log-likelihood"),
        "evidence": ("Trechos marcados: o que decidiu.", "Marked: what decided."),
        "licences": (
            "Gráficos: Vega e Vega-Lite (BSD-3-Clause), incluídos nesta página",
            "Charts: Vega and Vega-Lite (BSD-3-Clause), included in this page",
        ),
        "failed_to_open": (
            "Este navegador não consegue abrir os itens (falta DecompressionStream): use um mais novo.",
            "This browser cannot open the items (no DecompressionStream): use a newer one.",
        ),
        **CURVES,
    }
)


def text(key: str, language: Language, **values: object) -> str:
    """A text, its slots filled."""
    return STRINGS[key][language == "en"].format(**values)
