"""Ways to ask a model that the harness lacks: conversations, endpoints that can be resumed, shared prefixes."""
