// The language of the pages: the one chosen before, else the browser's, else English.

import { de } from "./de.ts";
import { en, type Texts } from "./en.ts";

export const LANGUAGES: Record<string, Texts> = { en, de };

export function firstLanguage(chosen: string | null, wished: readonly string[]): string {
  const known = [chosen ?? "", ...wished].map((name) => name.toLowerCase().split("-")[0] ?? "");
  return known.find((name) => Object.hasOwn(LANGUAGES, name)) ?? "en";
}
