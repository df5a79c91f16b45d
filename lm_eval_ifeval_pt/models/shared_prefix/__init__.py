"""Log-likelihoods that compute what requests share once: the harness model `hf-shared`.

`trie` finds the shared prefixes, `plan` decides what is computed together, `forward` computes it with a
transformers model, `probe` says whether a model can be computed so, `model` is what the harness sees.
"""
