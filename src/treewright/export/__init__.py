"""Models in the form that another program reads: the model files of C5.0 and Cubist."""
