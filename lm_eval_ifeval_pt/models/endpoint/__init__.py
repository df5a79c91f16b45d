"""Any OpenAI-compatible endpoint as a model of the harness.

Requests, concurrency, retries, chat template and progress are those of the harness's `local-chat-completions`
(`model`). Added here: the address may be spelled in several ways (`address`), every answer is stored as it
arrives (`answers`), faults are told apart (`faults`) and said in the reader's language (`messages`), and a
run waits and ends in one way (`gate`).
"""
