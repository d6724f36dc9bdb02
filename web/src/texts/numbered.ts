// Numbers in place of the students' names.

/** The same students, with `called(1)`, `called(2)`, … as names.
 *
 * They are in the order of their ids, which are drawn at random. So a number shows neither who
 * joined first nor the position on the class list.
 */
export function numbered<T extends { id: string; name: string }>(
  students: readonly T[],
  called: (number: number) => string,
): T[] {
  return students
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((student, place) => ({ ...student, name: called(place + 1) }));
}
