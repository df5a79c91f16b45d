"""Tokens of requests on disk, so that a worker that starts later need not tokenise what another has.

A file holds one call's requests: each as what it has in common with the one before and the rest. Its name is a hash of
the requests' texts and of all that turns texts into tokens. A file that is broken is as good as none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lm_eval_ifeval_pt.sweep.checkpoints import Weights, digest
from lm_eval_ifeval_pt.sweep.settings import Settings, version
from lm_eval_ifeval_pt.writing import replacing

if TYPE_CHECKING:
    from lm_eval_ifeval_pt.models.shared_prefix.trie import ScoredSequence

MOST = 4 * 2**30
"""Bytes that all files together may take; what would be more is not stored."""

_PACKAGES = "lm_eval", "lm_eval_ifeval_pt", "tokenizers", "transformers"


_ELSEWHERE = "tokenizer", "gguf_file", "subfolder", "trust_remote_code", "delta", "peft"
"""Arguments of models that may bring in tokens from where no fingerprint looks."""


def stored_tokens(home: Path, folder: Path | None, weights: Weights, settings: Settings) -> StoredTokens | None:
    """The store for a checkpoint; None where its fingerprint does not cover all that makes its tokens.

    Args:
        home: Where the files are.
        folder: The checkpoint's.
        weights: Its fingerprint.
        settings: Of the sweep.
    """
    if folder is None or not (folder / "tokenizer.json").is_file():
        return None
    if any(settings.model_args.get(name) for name in _ELSEWHERE):
        return None
    return StoredTokens(home, weights, settings)


class StoredTokens:
    """The tokens of requests for one tokenizer.

    Args:
        folder: Where the files are.
        weights: Whose tokenizer and configuration.
        settings: Of the sweep.
    """

    def __init__(self, folder: Path, weights: Weights, settings: Settings) -> None:
        self.folder = folder
        versions = [version(package) for package in _PACKAGES]
        self._base = digest([weights.tokenizer, weights.config, settings.model, settings.model_args, versions])

    def path(self, texts: Iterable[tuple[str, str]], max_length: int) -> Path:
        """The file of these contexts and continuations, for a model that takes so many tokens."""
        sha = hashlib.sha256(f"{self._base} {max_length}".encode())
        for pair in texts:
            for text in pair:
                data = text.encode("utf-8", errors="surrogatepass")
                sha.update(b"%d " % len(data))
                sha.update(data)
        return self.folder / f"{sha.hexdigest()[:32]}.npz"

    def read(self, texts: Sequence[tuple[str, str]], max_length: int) -> list[ScoredSequence] | None:
        """The requests of these texts; None where they are not stored, or not whole."""
        import numpy as np

        from lm_eval_ifeval_pt.models.shared_prefix.trie import ScoredSequence

        try:
            with np.load(self.path(texts, max_length), allow_pickle=False) as file:
                rests, lengths, shared, scored = (file[name] for name in ("rests", "lengths", "shared", "scored"))
        except Exception:  # none there, or broken in one of the many ways in which a zip file can be
            return None
        ends = np.cumsum(lengths)
        if not len(lengths) == len(shared) == len(scored) == len(texts) or ends[-1:].tolist() != [len(rests)]:
            return None
        sequences = []
        tokens = np.empty(0, np.int64)
        columns = (part.tolist() for part in (ends, lengths, shared, scored))
        for end, length, common, count in zip(*columns, strict=True):
            tokens = np.concatenate([tokens[:common], rests[end - length : end]], dtype=np.int64)
            sequences.append(ScoredSequence(tokens, count))
        return sequences

    def write(self, texts: Sequence[tuple[str, str]], max_length: int, sequences: Sequence[ScoredSequence]) -> None:
        """Store the requests; if that fails, or would be too much, they are tokenised again."""
        import numpy as np

        from lm_eval_ifeval_pt.models.shared_prefix.trie import common

        before = np.empty(0, np.int64)
        shared, rests = [], []
        for sequence in sequences:
            shared.append(common(before, sequence.tokens))
            rests.append(sequence.tokens[shared[-1] :].astype(np.int32))
            before = sequence.tokens
        tokens = np.concatenate(rests)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            stored = sum(path.stat().st_size for path in self.folder.glob("*.npz"))
            if stored + tokens.nbytes > MOST:
                return
            with replacing(self.path(texts, max_length)) as file:
                np.savez(
                    file.buffer,
                    rests=tokens,
                    lengths=np.array([len(rest) for rest in rests], np.int32),
                    shared=np.array(shared, np.int32),
                    scored=np.array([sequence.scored for sequence in sequences], np.int32),
                )
        except OSError:  # a full disk: nothing is lost but time
            return
