"""What can be verified: the constraints, the verdicts they give, how they relate, and their catalogue.

`families/` holds the verifiers, one decorated function each; `registry` finds them.
"""
