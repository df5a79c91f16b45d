"""Data to train on that is not the test: prompts with verifiable instructions, and answers filtered by them."""
