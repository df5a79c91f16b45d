"""Scores over training: which of them is signal.

    results of any origin -> points -> curves -> signal (numbers), changes (items), plan (which tasks suffice)

A page, tables and files of it are the report's.
"""
