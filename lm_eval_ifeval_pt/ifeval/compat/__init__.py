"""Published checkers as they are, faults included: the oracles of the mode `compat`.

A rule takes a text and the arguments of a data row and gives a verdict, as a constraint of the registry does;
but it decides as the data set's own checker decides, so that a published figure can be compared. One package
per data set; its dialect binds the rules.
"""
