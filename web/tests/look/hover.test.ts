import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const SRC = join(import.meta.dirname, "../../src");
const WITH_A_POINTER = /@media \(hover: hover\)[^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}/g;

it("nothing is coloured by hovering on a touch screen, where the colour would stay", () => {
  const styled = readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".svelte") || name.endsWith(".css"))
    .map((name) => [name, readFileSync(join(SRC, name), "utf8")] as const)
    .filter(([, text]) => text.includes(":hover"));
  expect(styled.length).toBeGreaterThan(3);
  const always = styled.filter(([, text]) => text.replace(WITH_A_POINTER, "").includes(":hover"));
  expect(always.map(([name]) => name)).toEqual([]);
});
