// An error message in the language of the page.

import type { Texts, Values } from "../texts/en.ts";
import { Refused, Unreachable } from "./calls.ts";

/** The text for an error; the server's own sentence if its code has no text.
 *
 * A page keeps the error and not the sentence, so that the sentence follows the language. Instead
 * of an error it may be a function of the texts, or null for none.
 */
export function sentence(error: unknown, texts: Texts): string {
  if (error === null) return "";
  if (typeof error === "function") return (error as (texts: Texts) => string)(texts);
  if (error instanceof Unreachable) return texts.trouble.unreachable;
  if (!(error instanceof Refused)) return texts.trouble.other;
  const text = Object.hasOwn(texts.refused, error.code) ? texts.refused[error.code] : undefined;
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
