// Everything that the server says in codes has words in every language. The server reads the same
// file: a code that is forgotten here, or there, fails.

import { describe, expect, it } from "vitest";
import codes from "../../../src/homeroom/live/codes.json" with { type: "json" };
import { LANGUAGES } from "../../src/texts/choose.ts";
import type { Values } from "../../src/texts/en.ts";

type Text = string | ((values: Values) => string);

const sorted = (names: object | string[]) =>
  (Array.isArray(names) ? names : Object.keys(names)).toSorted();

/** What a sentence of the server names, each as itself: `Round {round} is over.` */
function valuesOf(sentence: string): Values {
  const names = [...sentence.matchAll(/\{(\w+)/g)].map((found) => found[1] as string);
  return Object.fromEntries(names.map((name) => [name, `<${name}>`]));
}

describe.each(Object.entries(LANGUAGES))("the codes in %s", (name, texts) => {
  it("are those of the server's refusals, no more and no less", () => {
    // English pages show the server's sentences.
    expect(sorted(texts.refused)).toEqual(name === "en" ? [] : sorted(codes.refused));
  });

  it.each(Object.entries(codes.refused))(
    "%s has a text with the values of the server",
    (code, refusal) => {
      const text: Text = texts.refused[code] ?? String(refusal[1]);
      const sentence = typeof text === "string" ? text : text(valuesOf(String(refusal[1])));
      expect(sentence.trim()).not.toBe("");
      expect(sentence).not.toMatch(/undefined|NaN|\[object/);
    },
  );

  it.each([
    ["ways to end", texts.lesson.finished, codes.finished],
    ["reasons to stall", texts.lesson.stalled, codes.stalled],
    ["rates", texts.table.rates, codes.rates],
    ["phases", texts.phase, codes.phases],
    ["phases to start", texts.start, codes.phases],
    ["species", texts.insects.species, codes.insects],
    ["reasons of species", texts.insects.because, codes.insects],
    ["trees", texts.leaves.labels, codes.trees],
    ["reasons of trees", texts.leaves.because, codes.trees],
    ["scores", texts.write.scores, codes.scores],
  ])("%s are all named", (_what, named, listed) => {
    expect(sorted(named)).toEqual(sorted(listed));
  });
});
