// A sentence for somebody whose wish could not be fulfilled, in the language of the page.

import type { Texts, Values } from "../texts/en.ts";
import { Refused, Unreachable } from "./calls.ts";

type Text = string | ((values: Values) => string);

/** What the server refused, by its code; the server's own sentence where there is no text for it. */
export function sentence(error: unknown, texts: Texts): string {
  if (error instanceof Unreachable) return texts.trouble.unreachable;
  if (!(error instanceof Refused)) return texts.trouble.other;
  const known: Record<string, Text> = texts.refused;
  const text = Object.hasOwn(known, error.code) ? known[error.code] : undefined;
  if (text !== undefined) return typeof text === "string" ? text : text(error.values);
  return error.message === "" ? texts.trouble.other : error.message;
}
