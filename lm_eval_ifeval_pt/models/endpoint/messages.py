"""What `lm-eval-pt run` says, in Portuguese and in English."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

Language = Literal["pt", "en"]

_PORTUGUESE_FLAGS = frozenset(
    {
        "--modelo",
        "--saida",
        "--tarefa",
        "--limite",
        "--paralelo",
        "--sistema",
        "--fonte",
        "--tempo-limite",
        "--tentativas",
        "--do-zero",
        "--repetir-vazias",
        "--paradas",
        "--pasta-de-tarefas",
        "--aceitar-codigo",
        "--aceitar-falhas",
        "--avaliacao",
        "--arquivos",
        "--confiar-no-codigo",
        "--geracao",
        "--url-do-juiz",
        "--modelo-do-juiz",
        "--modelo-de-embeddings",
        "--preco-de-entrada",
        "--preco-de-saida",
        "--preco-de-entrada-do-juiz",
        "--preco-de-saida-do-juiz",
        "--moeda",
    }
)

_TEXTS: dict[str, tuple[str, str]] = {
    # faults
    "unreachable": (
        "Não foi possível conectar a {url}: {reason}. O servidor está no ar? O endereço está certo?",
        "Cannot connect to {url}: {reason}. Is the server up? Is the address right?",
    ),
    "lost": ("A conexão com {url} caiu: {reason}.", "The connection to {url} was lost: {reason}."),
    "timeout": (
        "{url} não respondeu em {seconds:segundo|segundos}. Aumente --tempo-limite ou diminua --paralelo.",
        "{url} did not answer within {seconds:second|seconds}. Raise --timeout or lower --concurrency.",
    ),
    "moved": (
        "{url} foi movido (HTTP {status}). Use o endereço novo: {location}",
        "{url} has moved (HTTP {status}). Use the new address: {location}",
    ),
    "unauthorized": (
        "{url} recusou a chave de acesso (HTTP {status}): {said}. "
        "Ponha uma chave válida na variável de ambiente LM_EVAL_PT_API_KEY ou OPENAI_API_KEY.",
        "{url} refused the API key (HTTP {status}): {said}. "
        "Put a valid key into the environment variable LM_EVAL_PT_API_KEY or OPENAI_API_KEY.",
    ),
    "unknown_model": (
        "O servidor não conhece o modelo {model} (HTTP {status}): {said}. Ele oferece: {offered}.",
        "The server does not know the model {model} (HTTP {status}): {said}. It offers: {offered}.",
    ),
    "not_found": (
        "{url} não existe (HTTP {status}): {said}. O endereço em --url costuma terminar em /v1.",
        "{url} does not exist (HTTP {status}): {said}. The address in --url usually ends in /v1.",
    ),
    "rejected": (
        "O servidor recusou o pedido (HTTP {status}): {said}.",
        "The server rejected the request (HTTP {status}): {said}.",
    ),
    "server_error": (
        "O servidor falhou (HTTP {status}): {said}.",
        "The server failed (HTTP {status}): {said}.",
    ),
    "rate_limited": (
        "O servidor limita os pedidos (HTTP {status}): {said}. "
        "Rode o mesmo comando mais tarde, ou com --paralelo menor.",
        "The server limits requests (HTTP {status}): {said}. "
        "Run the same command later, or with a smaller --concurrency.",
    ),
    "malformed": (
        "{url} não respondeu como uma API compatível com a da OpenAI: {said}.",
        "{url} did not answer as an OpenAI-compatible API does: {said}.",
    ),
    "some_failed": (
        "{failed:pedido falhou|pedidos falharam}. O último: {last} O mesmo comando tenta de novo; "
        "com --aceitar-falhas, cada falha conta como resposta vazia.",
        "{failed:request|requests} failed. The last one: {last} The same command tries again; "
        "with --accept-failures each failure counts as an empty answer.",
    ),
    # before and during a run
    "bad_url": (
        "--url {url}: o endereço deve começar com http:// ou https://",
        "--url {url}: the address must begin with http:// or https://",
    ),
    "bad_key": (
        "A chave de acesso tem caracteres que não podem ser enviados.",
        "The API key has characters that cannot be sent.",
    ),
    "bad_output": (
        "--saida {path}: o nome deve terminar em .json",
        "--output {path}: the name must end in .json",
    ),
    "bad_metadata": (
        "--metadata: {said}. É esperado um objeto JSON, por exemplo {example}",
        "--metadata: {said}. A JSON object is expected, for example {example}",
    ),
    "no_api": (
        "Faltam pacotes para usar um servidor ({missing}). Instale-os com: pip install 'lm_eval_ifeval_pt[api]'",
        "Packages for the use of a server are missing ({missing}). "
        "Install them with: pip install 'lm_eval_ifeval_pt[api]'",
    ),
    "in_use": ("Outra execução está usando {path}.", "Another run is using {path}."),
    "unwritable": ("Não foi possível gravar {path}: {reason}.", "Cannot write {path}: {reason}."),
    "unknown_task": ("Não há tarefa {task}. {near}", "There is no task {task}. {near}"),
    "near": ("Você quis dizer {names}?", "Did you mean {names}?"),
    "list_tasks": ("`lm_eval ls tasks` lista todas.", "`lm_eval ls tasks` lists them all."),
    "no_generation": (
        "A tarefa {task} mede probabilidades, que um servidor de chat não informa. "
        "Use uma tarefa de geração, ou o próprio lm_eval com --model hf ou local-completions.",
        "The task {task} measures log-probabilities, which a chat server does not give. "
        "Use a generation task, or lm_eval itself with --model hf or local-completions.",
    ),
    "no_definition": (
        "--tarefa {path}: o arquivo não existe.",
        "--task {path}: there is no such file.",
    ),
    "unsafe_code": (
        "A tarefa {task} executa programas que o modelo escreve. Se está de acordo: --aceitar-codigo",
        "The task {task} runs programs that the model writes. If you agree: --confirm-run-unsafe-code",
    ),
    "bad_task": (
        "A tarefa {task} não pode ser avaliada: {said}. (--traceback mostra onde.)",
        "The task {task} cannot be evaluated: {said}. (--traceback shows where.)",
    ),
    "all_tasks": (
        "Carregando todas as tarefas do lm_eval (leva alguns segundos)…",
        "Loading all tasks of lm_eval (takes some seconds)…",
    ),
    "not_listed": (
        "Aviso: o servidor não lista o modelo {model}; ele oferece: {offered}.",
        "Warning: the server does not list the model {model}; it offers: {offered}.",
    ),
    "to_ask": (
        "{missing:resposta|respostas} a pedir; {stored:já guardada|já guardadas} em {path}",
        "{missing:answer|answers} to ask for; {stored} already stored in {path}",
    ),
    "pause": (
        "O servidor pede para esperar (HTTP {status}): próxima tentativa em {seconds} s.",
        "The server asks to wait (HTTP {status}): next attempt in {seconds} s.",
    ),
    "again": ("Tentativa {attempt} de {attempts}: {fault}", "Attempt {attempt} of {attempts}: {fault}"),
    "left_out": (
        "O servidor não aceita o parâmetro {name}: os pedidos seguem sem ele.",
        "The server does not take the parameter {name}: requests go without it.",
    ),
    "renamed": (
        "O servidor quer max_completion_tokens em lugar de max_tokens.",
        "The server wants max_completion_tokens instead of max_tokens.",
    ),
    "draining": (
        "Interrompendo: esperando {waiting:resposta já pedida|respostas já pedidas} "
        "(Ctrl-C de novo: sair sem esperar).",
        "Stopping: waiting for {waiting:answer already asked for|answers already asked for} "
        "(Ctrl-C again: leave without waiting).",
    ),
    # after it
    "kept": (
        "{stored:resposta está guardada|respostas estão guardadas} em {path}; o mesmo comando pede só as que faltam.",
        "{stored:answer is|answers are} stored in {path}; the same command asks for the missing ones only.",
    ),
    "interrupted": (
        "Interrompido. Retome com o mesmo comando.",
        "Interrupted. Resume with the same command.",
    ),
    "empty": (
        "Respostas vazias: {empty} de {total}. Contam como não seguidas; estão em {path}. "
        "Com --repetir-vazias são pedidas de novo.",
        "Empty answers: {empty} of {total}. They count as not followed; they are in {path}. "
        "With --retry-empty they are asked for again.",
    ),
    "only_reasoning": (
        "Entre as vazias, só com raciocínio e sem resposta: {only_reasoning}. Aumente --max-tokens.",
        "Among the empty ones, reasoning without an answer: {only_reasoning}. Raise --max-tokens.",
    ),
    "mostly_empty": (
        "ATENÇÃO: a maioria das respostas está vazia ({empty} de {total}); a nota não diz nada do modelo. As paradas "
        "da tarefa podem tê-las cortado: com --paradas answer elas só valem depois da primeira linha.",
        "ATTENTION: most answers are empty ({empty} of {total}); the score says nothing of the model. The task's "
        "stop strings may have cut them: with --stops answer they count after the first line only.",
    ),
    "at_stop": (
        "ATENÇÃO: a maioria das respostas foi cortada numa parada da tarefa ({at_stop} de {total}), escrita para "
        "modelos de base. Em {path} estão inteiras; com --paradas none são avaliadas inteiras, sem novos pedidos.",
        "ATTENTION: most answers were cut at a stop string of the task ({at_stop} of {total}), written for base "
        "models. {path} has them whole; with --stops none they are scored whole, without new requests.",
    ),
    "truncated": (
        "Respostas cortadas no limite de tokens: {truncated} de {total}. "
        "Aumente --max-tokens: só as cortadas são pedidas de novo.",
        "Answers cut at the token limit: {truncated} of {total}. Raise --max-tokens: only those are asked for again.",
    ),
    "failed": (
        "Pedidos que falharam e contam como respostas vazias: {failed} de {total}.",
        "Requests that failed and count as empty answers: {failed} of {total}.",
    ),
    "saved": (
        "Resultado: {result}\nAmostras e respostas: {folder}",
        "Result: {result}\nSamples and answers: {folder}",
    ),
}


class _Count(int):
    """A number that brings its noun: `f"{_Count(2):answer|answers}"` is `2 answers`."""

    def __format__(self, nouns: str) -> str:
        singular, bar, plural = nouns.partition("|")
        return f"{int(self)} {singular if self == 1 else plural}" if bar else int.__format__(self, nouns)


def say(key: str, language: Language, /, **values: Any) -> str:
    """The message `key` with its values filled in."""
    template = _TEXTS[key][language == "en"]
    return template.format_map(
        {name: _Count(value) if isinstance(value, int) else value for name, value in values.items()}
    )


def language_of(arguments: Iterable[str], environment: Mapping[str, str]) -> Language:
    """Portuguese where a Portuguese flag is used or the locale is Portuguese, else English."""
    if any(argument.partition("=")[0] in _PORTUGUESE_FLAGS for argument in arguments):
        return "pt"
    set_locales = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return "pt" if (next(filter(None, set_locales), "")).lower().startswith("pt") else "en"
