"""Checkpoint sweeps: many checkpoints on many tasks, resumable, by workers that start once.

    checkpoints -> plan (cells with keys) -> folder (attempts, results) -> worker, started by local or slurm
    results of any origin -> points -> curves -> page

A sweep's folder is its only state: any number of workers, on any number of machines that see the folder, take cells
from it until none is left.
"""
