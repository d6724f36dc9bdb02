"""How a whole lesson is planned: every example chosen with all the others in mind.

A lesson ``x_1..x_T`` leaves ``sum_j s_j |P(r_j) e_j|^2`` of a class, with
``P(r) = prod (I - r x_s x_s')``. The rows ``(r_j, e_j, s_j)`` are the students, or weighted
representatives of any number of them. Each module has one idea:

- ``population``: the class as a planner sees it, as rows;
- ``objective``: what a plan must achieve, as one number;
- ``axes``: steps along the class's own directions, with Gauss nodes as lengths;
- ``simulation``: what a whole lesson leaves, its slope, and all examples moved together;
- ``transients``: how far students may be on the way, and what keeps them there;
- ``greedy``: the classroom teacher's lesson, which a plan is never longer than;
- ``search``: the fewest examples that reach the goal;
- ``pooled``: the same for a pool, whose items can be exchanged but not moved;
- ``plan``: a plan for a class, from any of these;
- ``progress``: how far a lesson is in its plan, and whether the class still follows it.
"""
