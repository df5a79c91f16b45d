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
            "Sem JavaScript, os gráficos e os itens não aparecem; as tabelas, sim.",
            "Without JavaScript there are no charts and items; the tables are here.",
        ),
        "chart_below": ("Os números estão na tabela.", "The numbers are in the table."),
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
        "npm_axis": ("NPM, com intervalo de 95 %", "NPM, 95% interval"),
        "rank": ("Posição", "Rank"),
        "incomplete": ("{present} de {total} tarefas", "{present} of {total} tasks"),
        # other tasks
        "scores": ("Outras tarefas", "Other tasks"),
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
            "fez diferença (teste exato, Benjamini-Hochberg, 5 %). Corrigido: ganho ÷ (100 − sem pedir); – onde mal se "
            "pode falhar.",
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
        # items
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
        "others": ("Os outros {count} modelos", "The other {count} models"),
        "prompt": ("Prompt", "Prompt"),
        "sent": ("Prompt como foi enviado", "Prompt as sent"),
        "asked": ("O que se pediu", "What was asked"),
        "answer": ("Resposta", "Answer"),
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
