"""Portuguese texts drawn from a grammar by a seed: what the demonstration trains on and RULER-PT hides needles in."""
