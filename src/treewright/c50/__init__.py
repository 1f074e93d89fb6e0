"""C5.0 (RuleQuest, release 2.07): what its trees, rules and boosting have that no other learner of ours has.

Numbers are rounded to 32 bits where the program keeps 32 bits, because ties between columns turn on it. Growing and
pruning move the cases and their weights in place as the program does; see ``kernels/c50_kernels/c50_division.py``.
"""
