"""What the benchmark task definitions name: one module per benchmark, and what they share.

`docs` gives a split the columns that the definition names: `query` with `options` and `gold`, or with
`target`. Plain functions make them once, because the harness compiles a Jinja template again for every
document. The template that `query` equals stands in the definition under `metadata: prompt`.

CF and MCF are the two formats of a multiple-choice question (Tucano 2, arXiv:2603.03543, section 5.3). Cloze
format: the options are not shown, and the text of each is scored. Multiple-choice format: they are shown with
letters, and the letters are scored.
"""
