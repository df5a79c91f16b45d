"""RULER in Portuguese: eleven synthetic long-context tasks, generated for the evaluated model's tokenizer.

RULER (Hsieh et al. 2024, arXiv:2404.06654) fills a context of a wanted length and asks for what is in it: needles in a
haystack (`niah`), chains of variables (`vt`), the most common words (`cwe`) and the most frequent coded words (`fwe`).
The Portuguese version is that of Tucano 2 (arXiv:2603.03543): its prompts, sizes and scoring.

`task` is what the task definitions name. `samples` makes the prompts of one task and length, `length` counts tokens
without encoding whole prompts.
"""
