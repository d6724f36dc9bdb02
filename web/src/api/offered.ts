// The classes of a school's export, one of which must be chosen.

import { Refused } from "./calls.ts";
import type { OfferedClass } from "./shapes.ts";

/** The classes in a refusal, sorted by name; usually there are none. */
export function classesIn(error: unknown, tag: string): OfferedClass[] {
  if (!(error instanceof Refused)) return [];
  const { compare } = new Intl.Collator(tag, { numeric: true }); // 7b before 10a
  return error.classes.toSorted((one, other) => compare(one.title, other.title));
}
