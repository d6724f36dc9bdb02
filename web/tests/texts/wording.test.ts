import { describe, expect, it } from "vitest";
import type { AskedItem, Board, BoardItem, Report, StudentView } from "../../src/api/schema.ts";
import { de } from "../../src/texts/de.ts";
import { en } from "../../src/texts/en.ts";
import {
  activityName,
  beginsWith,
  boardIn,
  called,
  itemIn,
  labelIn,
  reportIn,
  resultIn,
  viewIn,
  whyIn,
} from "../../src/texts/wording.ts";

const options: AskedItem["options"] = [
  { value: 1, label: "butterfly" },
  { value: -1, label: "moth" },
];
const asks = (id: string, question: string | null): AskedItem => ({
  id,
  picture: null,
  text: null,
  question,
  options,
});
const shows = (item: Partial<BoardItem>): BoardItem => ({
  id: "x",
  place: null,
  label: "",
  picture: null,
  text: null,
  question: null,
  species: null,
  usable: true,
  ...item,
});

describe("what is built in", () => {
  it("is called in the language of the page", () => {
    expect(activityName(de, "insects", "Butterflies and moths")).toBe("Tagfalter und Nachtfalter");
    expect(activityName(de, "letter-f", "The letter f")).toBe("Der Buchstabe f");
  });

  it("is asked about in the language of the page", () => {
    const asked = itemIn(de, "insects", asks("insect-001", "Is it?"));
    expect(asked.question).toBe("Ist es ein Tagfalter oder ein Nachtfalter?");
    expect(asked.options.map(({ value, label }) => [value, label])).toEqual([
      [1, "Tagfalter"],
      [-1, "Nachtfalter"],
    ]);
  });

  it("is explained by its species", () => {
    const result = {
      right: true,
      label: "moth",
      explanation: "This tiger moth …",
      species: "tmoth",
    };
    expect(resultIn(de, "insects", result).label).toBe("Nachtfalter");
    expect(resultIn(de, "insects", result).explanation).toContain("Bärenspinner");
  });

  it("is the same in English as on the server", () => {
    expect(labelIn(en, "insects", "butterfly")).toBe("butterfly");
    expect(activityName(en, "insects", "")).toBe("Butterflies and moths");
  });

  it("is known by its species and number where there is no picture", () => {
    const item = shows({ id: "insect-007", label: "moth", species: "tmoth" });
    expect(called(de, item)).toBe("Bärenspinner 7");
  });
});

describe("what a teacher wrote", () => {
  it("stays as it is", () => {
    expect(activityName(de, "0123456789abcdef", "Birds")).toBe("Birds");
    expect(labelIn(de, "0123456789abcdef", "butterfly")).toBe("butterfly");
    expect(labelIn(de, "0123456789abcdef", "constructor")).toBe("constructor");
    const result = { label: "moth", explanation: "Look.", species: null };
    expect(resultIn(de, "mine", result)).toEqual(result);
    expect(called(de, shows({ text: "a duck" }))).toBe("a duck");
    expect(called(de, shows({ question: "7 × 8 = ?" }))).toBe("7 × 8 = ?");
    expect(called(de, shows({}))).toBe("x");
    const asked = asks("x", "Which?");
    expect(itemIn(de, "mine", asked)).toEqual(asked);
  });

  it("is asked about in the language of the page where there is no question", () => {
    const asked = itemIn(de, "mine", asks("x", null));
    expect(asked.question).toBe("Butterfly oder moth?");
    const many = { ...asks("x", null), options: [...options, { value: 3 as const, label: "bee" }] };
    expect(itemIn(de, "mine", many).question).toBe("Was ist es?");
  });

  it("is yes or no in every language", () => {
    expect(labelIn(de, "mine", "yes")).toBe("ja");
  });
});

it("all of a student's view is translated", () => {
  const result = { right: false, label: "moth", explanation: "?", species: "cmoth" };
  const view = {
    activity: "insects",
    item: asks("insect-001", "?"),
    feedback: result,
    example: { ...result, item: { id: "insect-002" } },
  } as unknown as StudentView;
  const worded = viewIn(de, view);
  expect(worded.item?.options[0]?.label).toBe("Tagfalter");
  expect(worded.feedback?.explanation).toContain("Spinner");
  expect(worded.example?.label).toBe("Nachtfalter");
  expect(viewIn(de, { ...view, item: null, feedback: null, example: null }).item).toBeNull();
});

it("all of a teacher's board and report is translated", () => {
  const next = { item: "insect-001", label: "moth", options, reason: { instead: "butterfly" } };
  const board = {
    activity: "insects",
    items: [{ id: "insect-001", place: null, label: "moth" }],
    regions: [{ label: "moth", normal: [1, 0], offset: 0 }],
    students: [{ id: "s1", choice: "moth" }],
    next,
    last: [{ ...next, species: "tmoth", explanation: "It is a moth." }],
    groups: [
      { name: "A", size: 1, colour: 0, next },
      { name: "B", size: 0, colour: 1 },
    ],
  } as unknown as Board;
  const worded = boardIn(de, board);
  expect([worded.items[0], worded.next, worded.groups[0]?.next].map((one) => one?.label)).toEqual(
    Array(3).fill("Nachtfalter"),
  );
  expect(worded.last[0]?.label).toBe("Nachtfalter");
  expect(worded.regions[0]?.label).toBe("Nachtfalter");
  expect(worded.students[0]?.choice).toBe("Nachtfalter");
  expect(worded.next?.options.map(({ label }) => label)).toEqual(["Tagfalter", "Nachtfalter"]);
  expect(worded.next?.reason?.instead).toBe("Tagfalter");
  expect(worded.last[0]?.explanation).toContain("Bärenspinner");
  const report = { ...board, activity_name: "Butterflies and moths" } as unknown as Report;
  expect(reportIn(de, report).items[0]?.label).toBe("Nachtfalter");
  expect(reportIn(de, report).activity_name).toBe("Tagfalter und Nachtfalter");
});

describe("an explanation", () => {
  it("begins with the right answer only if it has the whole word", () => {
    expect(beginsWith("Paris is the capital.", "paris")).toBe(true);
    expect(beginsWith("42 = 6 × 7", "4")).toBe(false);
    expect(beginsWith("Northern birds migrate.", "no")).toBe(false);
    expect(beginsWith(null, "no")).toBe(false);
  });
});

describe("why an item is shown", () => {
  it("is given in numbers", () => {
    const reason = { by: "lesson", wrong: 17.6, of: 30, off: 0.091 };
    expect(whyIn(de, reason)).toBe(de.next.wrong(18, 30));
    expect(whyIn(de, { ...reason, wrong: 0.4 })).toBe(de.next.few);
    expect(whyIn(de, { ...reason, wrong: 1.4 })).toBe(de.next.few);
    expect(whyIn(de, { ...reason, wrong: 0.4, of: 1 })).toBe(de.next.wrong(1, 1));
    expect(whyIn(en, { ...reason, instead: "moth", unseen: true })).toBe(
      "About 18 of 30 would say “moth”. No one has seen this one yet.",
    );
    expect(whyIn(en, { ...reason, instead: "ash", said: 11.2 })).toBe(
      "About 18 of 30 would get it wrong. About 11 of them would say “ash”.",
    );
  });

  it("names the place in the order of items on a map", () => {
    const reason = { by: "lesson", wrong: 17.6, of: 30, cover: "typical" };
    expect(whyIn(de, reason)).toBe(`${de.next.typical} ${de.next.wrong(18, 30)}`);
    expect(whyIn(en, { ...reason, cover: "represents", unseen: true })).toBe(
      `${en.next.represents} ${en.next.wrong(18, 30)} ${en.next.unseen}`,
    );
    expect(whyIn(en, { ...reason, by: "review" })).toBe(`${en.next.reached} ${en.next.typical}`);
    expect(whyIn(en, { ...reason, cover: "of a later version" })).toBe(en.next.wrong(18, 30));
  });

  it("is the teacher's choice where it was", () => {
    const reason = { by: "teacher", wrong: 3, of: 5, off: 0.1 };
    expect(whyIn(en, reason)).toBe(en.next.chosen);
  });

  it("is a review where the group has reached its goal", () => {
    expect(whyIn(en, { by: "review", wrong: 1, of: 5 })).toBe(en.next.review);
  });

  it("is empty without a reason", () => {
    expect(whyIn(en, null)).toBe("");
  });
});
