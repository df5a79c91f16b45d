"""The suite's benchmarks: one module for each, which holds a `Benchmark` (see `benchmark`), and what they share.

`generate` writes the task definitions from them. A document is a row of the data set with the column `query`, the
prompt, and those of its format: `options` and `gold`, or `target`. The prompt's template is compiled once a task, where
the harness compiles a template of a definition for every document.
"""
