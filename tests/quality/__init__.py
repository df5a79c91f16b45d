"""Measures against external gold: precision and recall, agreement with labels, speed (`python -m tests.quality`)."""
