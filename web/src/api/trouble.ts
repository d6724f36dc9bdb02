// A sentence for somebody whose wish could not be fulfilled.

import type { Texts } from "../texts/en.ts";
import { Refused, Unreachable } from "./calls.ts";

type Known = Partial<Record<number, keyof Texts["trouble"]>>;

/** `known` names the sentences for statuses that mean something special in this place. */
export function sentence(error: unknown, texts: Texts, known: Known = {}): string {
  if (error instanceof Unreachable) return texts.trouble.unreachable;
  if (!(error instanceof Refused)) return texts.trouble.other;
  const name = known[error.status] ?? (error.status === 429 ? "too_often" : undefined);
  if (name !== undefined) return texts.trouble[name];
  return error.message === "" ? texts.trouble.other : error.message;
}
