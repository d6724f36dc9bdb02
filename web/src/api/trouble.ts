// An error message in the language of the page.

import type { Texts, Values } from "../texts/en.ts";
import { Refused, Unreachable } from "./calls.ts";

type Text = string | ((values: Values) => string);

/** What the server refused, by its code; the server's own sentence where there is no text for it.
 *
 * A page keeps what failed, not the sentence, so that it changes with the language: an error, a
 * sentence of its own as a function of the texts, or null for nothing.
 */
export function sentence(error: unknown, texts: Texts): string {
  if (error === null) return "";
  if (typeof error === "function") return (error as (texts: Texts) => string)(texts);
  if (error instanceof Unreachable) return texts.trouble.unreachable;
  if (!(error instanceof Refused)) return texts.trouble.other;
  const known: Record<string, Text> = texts.refused;
  const text = Object.hasOwn(known, error.code) ? known[error.code] : undefined;
  if (text !== undefined)
    return typeof text === "string" ? text : text(written(error.values, texts.tag));
  return error.message === "" ? texts.trouble.other : error.message;
}

/** Numbers as the language writes them. */
function written(values: Values, tag: string): Values {
  const all = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === "number" ? value.toLocaleString(tag) : value,
  ]);
  return Object.fromEntries(all) as Values;
}
