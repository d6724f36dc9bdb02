"""How a map is found: the model, its priors, where the search starts, how sure it is."""
