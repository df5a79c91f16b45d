"""After a run: what the answers of one or many models show, from the items that `results` reads."""
