"""The harness's task, with shots that do not depend on the process. Only task definitions name this module."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

from lm_eval.api.task import ConfigurableTask

from lm_eval_ifeval_pt.benchmarks.benchmark import template
from lm_eval_ifeval_pt.benchmarks.docs import Row
from lm_eval_ifeval_pt.benchmarks.window import Window, window
from lm_eval_ifeval_pt.text.reasoning import answer_start

log = logging.getLogger(__name__)


def holds_words(response: str) -> bool:
    """Whether a response has a letter or digit after its reasoning; "**", left of "**Pergunta:**", has none."""
    return any(map(str.isalnum, response[answer_start(response) :]))


class PlacedTask(ConfigurableTask):  # type: ignore[misc]  # the harness is untyped
    """Gives every row the shots that it has in a run of one process over all rows.

    The harness draws shots row by row with one generator a process, so that a process that has every second row, or a
    run of chosen rows (`--samples`), would draw others for the same row.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(config={name: value for name, value in config.items() if name != "class"})
        self._seed: int | None = None
        self._rows: Sequence[Row] = ()
        self._places: Iterator[int] = iter(())
        self._drawn = 0

    def set_fewshot_seed(self, seed: int | None = None) -> None:
        """Set the seed of the draws."""
        self._seed = seed
        super().set_fewshot_seed(seed)

    def build_all_requests(
        self, *, samples: list[int] | None = None, rank: int = 0, world_size: int = 1, **settings: Any
    ) -> None:
        """Build the requests of this process."""
        self._rows = self.eval_docs
        chosen = sorted(set(samples)) if samples else range(len(self._rows))
        self._places = iter(chosen[rank::world_size])
        self._drawn = 0
        if hasattr(self, "sampler"):
            self.sampler.set_rnd(self._seed)
        super().build_all_requests(samples=samples, rank=rank, world_size=world_size, **settings)

    def fewshot_context(self, doc: Row, num_fewshot: int, **settings: Any) -> str | list[str]:
        """The prompt of the next row; what the rows of other processes would draw is drawn and left."""
        index = next(self._places, None)
        if index is not None and num_fewshot:
            is_own_split = self.fewshot_cfg.split == self.config.test_split
            for row in self._rows[self._drawn : index]:
                self.sampler.sample(n=num_fewshot, eval_doc=row if is_own_split else None)
            self._drawn = index + 1
        context: str | list[str] = super().fewshot_context(doc, num_fewshot=num_fewshot, **settings)
        return context

    def apply_filters(self) -> Any:
        """Apply the filters; before, say if what the model wrote is mostly nothing."""
        if self.OUTPUT_TYPE == "generate_until":
            written = [response for instance in self.instances for response in instance.resps]
            empty = sum(not holds_words(response) for response in written)
            if 2 * empty > len(written):
                log.warning(
                    "%s: %d of %d answers are EMPTY, so that its scores say little of the model. Stop strings written "
                    "for base models (%s) end a chat answer that begins with one, or a thought that holds one; without "
                    "them: --gen_kwargs 'until=[]'. Is max_gen_toks large enough for a thought and an answer?",
                    *(self.config.task, empty, len(written)),
                    ", ".join(map(repr, self.config.generation_kwargs.get("until") or ["none here"])),
                )
        return super().apply_filters()

    def construct_requests(self, doc: Row, ctx: str | list[str], **settings: Any) -> Any:
        """The requests of a row; an option of no characters is asked as a blank, since no model scores nothing.

        Only with a chat template: without one a blank stands before every option.
        """
        requests = super().construct_requests(doc, ctx, **settings)
        if self.OUTPUT_TYPE == "multiple_choice":
            for request in requests:
                context, option = request.arguments
                request.arguments = (context, option or " ")
        return requests

    @staticmethod
    def resolve_field(doc: Row, field: str | None = None) -> Any:
        """A column, or a template filled in; it is compiled once, not for every row."""
        if not field:
            return None
        return doc[field] if field in doc else template(field).render(doc)


class FittingTask(PlacedTask):
    """Leaves the last shots out, one by one, until a prompt fits the model: description and question stay.

    The harness cuts the beginning of what is too long, hence the description first. What fits can be told where the
    model is one that `transformers` loads, and where its tokenizer and `max_length` are named.

    Source: eduagarcia/lm-evaluation-harness-pt, `HFLM.tok_batch_encode`.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(config)
        self._window: Window | None = None
        self._shots: dict[int, int] = {}  # of prompts that have fewer, by the identity of the document
        self._cut = 0

    def build_all_requests(self, **settings: Any) -> None:
        """Build the requests of this process, and say how many have fewer shots."""
        self._window, self._shots, self._cut = window(self.config.metadata or {}), {}, 0
        super().build_all_requests(**settings)
        if self._window is not None and self._shots:
            mean = sum(self._shots.values()) / len(self._shots)
            log.warning(
                "%s: %d prompts do not fit the model's %d tokens and have fewer than %d shots, %.1f on average%s",
                *(self.config.task, len(self._shots), self._window.size, self.config.num_fewshot, mean),
                f"; {self._cut} do not fit without any, and the model cuts their beginning" if self._cut else "",
            )

    def fewshot_context(self, doc: Row, num_fewshot: int, **settings: Any) -> str | list[str]:
        """The prompt with as many shots as fit."""
        context = super().fewshot_context(doc, num_fewshot, **settings)
        shots = num_fewshot
        while not self._fits(doc, context) and shots:
            shots -= 1
            context = ConfigurableTask.fewshot_context(self, doc, num_fewshot=shots, **settings)
        if shots < num_fewshot:
            self._shots[id(doc)] = shots
            self._cut += not self._fits(doc, context)
        return context

    def _fits(self, doc: Row, context: str | list[str]) -> bool:
        if self._window is None or not isinstance(context, str):
            return True
        if self.OUTPUT_TYPE == "generate_until":
            return self._window.holds(context, room=int(self.config.generation_kwargs.get("max_gen_toks", 0)))
        longest = max(self.doc_to_choice(doc), key=len)
        return self._window.holds(f"{context}{self.config.target_delimiter}{longest}", room=-1)

    def process_results(self, doc: Row, results: Any) -> dict[str, float]:
        """The metrics of the document; `fewer_shots` where its prompt has fewer than asked for."""
        scores: dict[str, float] = super().process_results(doc, results)
        return {**scores, "fewer_shots": 1.0} if id(doc) in self._shots else scores
