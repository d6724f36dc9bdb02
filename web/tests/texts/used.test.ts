import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { en } from "../../src/texts/en.ts";

const SRC = join(import.meta.dirname, "../../src");
const pages = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".svelte") || name.endsWith("wording.ts"))
  .map((name) => readFileSync(join(SRC, name), "utf8"));

/** Rooms whose sentences are looked up by a code, a page or a phase. */
const LOOKED_UP = ["refused", "answers", "trouble", "title", "phase", "start"];
const BY_PHASE = ["student.pretest", "student.posttest"];

function isSaid(room: string, name: string): boolean {
  const here = new RegExp(`\\btexts\\.${name}\\b`);
  const there = new RegExp(`(now|texts)\\.${room}\\.${name}\\b`);
  return pages.some(
    (page) => there.test(page) || (page.includes(`said.now.${room});`) && here.test(page)),
  );
}

it("every sentence is said somewhere", () => {
  const unsaid = Object.entries(en)
    .filter(([room, said]) => typeof said === "object" && !LOOKED_UP.includes(room))
    .flatMap(([room, said]) => Object.keys(said).map((name) => ({ room, name })))
    .filter(({ room, name }) => !BY_PHASE.includes(`${room}.${name}`) && !isSaid(room, name))
    .map(({ room, name }) => `${room}.${name}`);
  expect(unsaid).toEqual([]);
});
