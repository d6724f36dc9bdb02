// A class of numbers in place of names.

/** The same students, with `called(1)`, `called(2)`, … for names.
 *
 * They come in the order of their ids, which are drawn at random: a number says nothing about who
 * came first, or where a name stands on the class list.
 */
export function numbered<T extends { id: string; name: string }>(
  students: readonly T[],
  called: (number: number) => string,
): T[] {
  return students
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((student, place) => ({ ...student, name: called(place + 1) }));
}
