"""Has the model seen the test? Copies of benchmark items in a training corpus, and where they stand.

    parts      what of each document of a harness task is looked for: question, context, options, answer
    folding    the words of a text, without case, accents and punctuation
    index      every run of n words of the items, as a 64-bit hash, less what several items share
    kernel     the compiled pass over a corpus; `matching` has the same pass without a compiler, and confirms each hit
    evidence   how much of an item stands in one document, how long the longest run is, how near the rest is
    corpus     documents of JSONL, Parquet and text files, compressed or not, in pieces that can be resumed
    scan       the whole of it over processes; `findings` merges, writes and reads what was found

A paraphrase shares no run of words with its source and is out of reach of all this.
"""
