"""Fitting a map to answers: the model, its priors, the search, the uncertainty of the result."""
