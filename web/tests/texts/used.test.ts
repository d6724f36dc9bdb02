import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { en } from "../../src/texts/en.ts";

const SRC = join(import.meta.dirname, "../../src");
const pages = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".svelte") || name.endsWith("wording.ts"))
  .map((name) => readFileSync(join(SRC, name), "utf8"));

/** Sections whose texts are looked up by a code, an activity, a page or a phase. */
const LOOKED_UP = ["refused", "answers", "insects", "leaves", "trouble", "title", "phase", "start"];
const BY_PHASE = ["student.pretest", "student.posttest"];

function isUsed(section: string, name: string): boolean {
  const here = new RegExp(`\\btexts\\.${name}\\b`);
  const there = new RegExp(`(now|texts)\\.${section}\\.${name}\\b`);
  return pages.some(
    (page) => there.test(page) || (page.includes(`language.now.${section});`) && here.test(page)),
  );
}

it("every text is used somewhere", () => {
  const unused = Object.entries(en)
    .filter(([section, texts]) => typeof texts === "object" && !LOOKED_UP.includes(section))
    .flatMap(([section, texts]) => Object.keys(texts).map((name) => ({ section, name })))
    .filter(
      ({ section, name }) => !BY_PHASE.includes(`${section}.${name}`) && !isUsed(section, name),
    )
    .map(({ section, name }) => `${section}.${name}`);
  expect(unused).toEqual([]);
});
