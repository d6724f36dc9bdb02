import { describe, expect, it } from "vitest";
import { firstLanguage, LANGUAGES } from "../../src/texts/choose.ts";
import { de } from "../../src/texts/de.ts";
import { en } from "../../src/texts/en.ts";

/** The names of all sentences, as paths. */
function names(texts: object, before = ""): string[] {
  return Object.entries(texts).flatMap(([name, value]) =>
    typeof value === "object" ? names(value as object, `${before}${name}.`) : [`${before}${name}`],
  );
}

function sentences(texts: object): unknown[] {
  return Object.values(texts).flatMap((value) => {
    if (typeof value === "function") return [(value as (...some: unknown[]) => unknown)(2, 3, 4)];
    return typeof value === "object" ? sentences(value as object) : [value];
  });
}

describe.each(Object.entries(LANGUAGES))("the texts in %s", (_name, texts) => {
  it("have the same names as the English ones", () => {
    // The refusals in English are the sentences of the server.
    expect(names({ ...texts, refused: {} })).toEqual(names(en));
  });

  it("are never empty", () => {
    for (const text of sentences(texts)) expect(String(text).trim()).not.toBe("");
  });
});

describe("German", () => {
  const { teacher, lesson, map, errors, next, table, groups, data, report, all_data, letters } = de;
  const grown = {
    teacher,
    lesson,
    map,
    errors,
    next,
    table,
    groups,
    data,
    report,
    all_data,
    letters,
  };
  const children = { join: de.join, student: de.student, write: de.write };

  it("says Sie to teachers", () => {
    const du = /\b(du|dich|dir|dein\w*|magst|wählst)\b/i;
    expect(sentences(grown).filter((text) => du.test(String(text)))).toEqual([]);
  });

  it("says du to children", () => {
    const sie = /\b(Ihre?\w*|Ihnen|(können|haben|zeigen|öffnen|geben) Sie)\b/;
    expect(sentences(children).filter((text) => sie.test(String(text)))).toEqual([]);
  });
});

describe("the language", () => {
  it("is the one that was chosen", () => {
    expect(firstLanguage("de", ["en-GB"])).toBe("de");
  });

  it("is otherwise the first of the browser's that exists", () => {
    expect(firstLanguage(null, ["fr-FR", "de-AT", "en"])).toBe("de");
  });

  it("is English where there is no other", () => {
    expect(firstLanguage("tlh", ["fr"])).toBe("en");
    expect(firstLanguage("constructor", [])).toBe("en");
  });
});
