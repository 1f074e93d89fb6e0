"""Options of the command line: those of learners, folds, pictures and rows, and how a typed word is understood."""
