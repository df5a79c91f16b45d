"""Evaluation suites: one file in JSON or YAML becomes tasks of the harness.

`manifest` reads and checks it, `building` writes the definitions, `task` is what these name. docs/own-evaluations.md.
"""
