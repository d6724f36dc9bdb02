"""How a whole lesson is planned: every example chosen with all the others in mind.

What a lesson ``x_1..x_T`` leaves of a class is ``sum_j s_j |P(r_j) e_j|^2`` with
``P(r) = prod (I - r x_s x_s')``, where the rows ``(r_j, e_j, s_j)`` are the students, or stand-ins
for any number of them. Each file has one idea:

- ``magnitudes``: the best lengths along one direction are Gauss nodes;
- ``axes``: the class's own directions, each with as many steps as it deserves;
- ``rehearsal``: what a whole lesson leaves, and how that depends on every example;
- ``polish``: all examples moved together until the class ends as close as it can;
- ``calm``: how far anybody is thrown off on the way, and how to prevent it;
- ``greedy``: the classroom teacher's lesson, which a plan is never longer than;
- ``shorten``: the fewest examples that still reach the goal;
- ``exchange``: the same for a pool, whose items can be exchanged but not moved;
- ``course``: where a lesson is in its plan, and whether the class still follows it.
"""
