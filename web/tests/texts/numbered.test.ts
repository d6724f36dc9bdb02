import { expect, it } from "vitest";
import { de } from "../../src/texts/de.ts";
import { en } from "../../src/texts/en.ts";
import { numbered } from "../../src/texts/numbered.ts";

const students = [
  { id: "c3", name: "Ada", here: true },
  { id: "a9", name: "Ben", here: false },
];

it("numbers replace names, in an order that is independent of the class list", () => {
  expect(numbered(students, en.names.number)).toEqual([
    { id: "a9", name: "Student 1", here: false },
    { id: "c3", name: "Student 2", here: true },
  ]);
  expect(students[0]?.name).toBe("Ada");
});

it("the same student has the same number in every list", () => {
  const backwards = numbered(students.toReversed(), de.names.number);
  expect(backwards).toEqual(numbered(students, de.names.number));
  expect(backwards[0]?.name).toBe("Person 1");
});
