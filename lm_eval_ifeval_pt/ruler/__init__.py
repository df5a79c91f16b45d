"""The name by which task definitions made for 0.1.0 know `benchmarks.ruler`. Nothing else belongs here."""
