// The classes of a school's export, of which the server wants one to be chosen.

import { Refused } from "./calls.ts";
import type { OfferedClass } from "./shapes.ts";

/** The classes that a refusal offers, in the order that people expect; mostly there are none. */
export function classesIn(error: unknown, tag: string): OfferedClass[] {
  if (!(error instanceof Refused)) return [];
  const { compare } = new Intl.Collator(tag, { numeric: true }); // 7b before 10a
  return error.classes.toSorted((one, other) => compare(one.title, other.title));
}
