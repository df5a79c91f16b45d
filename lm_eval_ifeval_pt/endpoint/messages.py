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
        "--aceitar-falhas",
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
        "{failed:pedido falhou|pedidos falharam}. O último: {last} Rode o mesmo comando para tentar de novo, "
        "ou acrescente --aceitar-falhas para contá-los como respostas vazias.",
        "{failed:request|requests} failed. The last one: {last} Run the same command to try again, "
        "or add --accept-failures to count them as empty answers.",
    ),
    # before and during a run
    "bad_url": (
        "--url {url}: o endereço deve começar com http:// ou https://",
        "--url {url}: the address must begin with http:// or https://",
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
        "Faltam pacotes para usar um servidor ({missing}). "
        "Instale-os com: pip install 'lm_eval_ifeval_pt[api]'",
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
        "{missing:answer|answers} to ask for; {stored:already stored|already stored} in {path}",
    ),
    "pause": (
        "O servidor pede para esperar (HTTP {status}): próxima tentativa em {seconds} s.",
        "The server asks to wait (HTTP {status}): next attempt in {seconds} s.",
    ),
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
        "{stored:resposta está guardada|respostas estão guardadas} em {path}; retome com o mesmo comando.",
        "{stored:answer is|answers are} stored in {path}; resume with the same command.",
    ),
    "interrupted": (
        "Interrompido. Retome com o mesmo comando.",
        "Interrupted. Resume with the same command.",
    ),
    "empty": (
        "{empty:resposta vazia|respostas vazias} de {total}: contam como não seguidas. Veja-as em {path}; "
        "--repetir-vazias pede-as de novo.",
        "{empty:empty answer|empty answers} of {total}: they count as not followed. See them in {path}; "
        "--retry-empty asks for them again.",
    ),
    "only_reasoning": (
        "{only_reasoning:delas só tem|delas só têm} raciocínio, sem resposta: aumente --max-tokens.",
        "{only_reasoning:of them holds|of them hold} only reasoning and no answer: raise --max-tokens.",
    ),
    "truncated": (
        "{truncated:resposta cortada|respostas cortadas} de {total} no limite de tokens. "
        "Aumente --max-tokens: só as cortadas são pedidas de novo.",
        "{truncated:truncated answer|truncated answers} of {total}, at the token limit. "
        "Raise --max-tokens: only the truncated ones are asked for again.",
    ),
    "failed": (
        "{failed:pedido falhou e conta como resposta vazia|pedidos falharam e contam como respostas vazias}.",
        "{failed:request failed and counts as an empty answer|requests failed and count as empty answers}.",
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
