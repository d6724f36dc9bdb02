"""How a whole lesson is planned: every example chosen with all the others in mind.

After a lesson ``x_1..x_T``, the error of a class is ``sum_j s_j |P(r_j) e_j|^2`` with
``P(r) = prod (I - r x_s x_s')``. The rows ``(r_j, e_j, s_j)``, a rate, a gap (state minus target)
and a weight, are the students, or weighted representatives of any number of them. Each module has
one idea:

- ``request``: what a plan must satisfy, and the work that it may take;
- ``population``: the class as a planner sees it, as rows;
- ``objective``: what a plan must achieve, as one number;
- ``axes``: steps along the principal directions of the class, with Gauss nodes as lengths;
- ``simulation``: the error after a whole lesson, its gradient, and polishing all examples;
- ``transients``: how far students may be during the lesson, and what keeps them there;
- ``greedy``: the classroom teacher's lesson, which a plan is never longer than;
- ``search``: the fewest examples that reach the goal;
- ``pooled``: the same for a pool, whose items can be exchanged but not moved;
- ``plan``: a plan for a class, from any of these;
- ``progress``: how far a lesson is in its plan, and whether the class still follows it.
"""
