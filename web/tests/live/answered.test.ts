import { describe, expect, it } from "vitest";
import type { Answer, AskedItem, Feedback, StudentView } from "../../src/api/schema.ts";
import {
  isFurther,
  isKept,
  isNow,
  lastExample,
  resultOf,
  wasOther,
} from "../../src/live/answered.ts";

const shown = (id: string) => ({ id, picture: null, text: null });
const asks = (id: string, options: AskedItem["options"] = []): AskedItem => ({
  ...shown(id),
  question: null,
  options,
});
const item = asks("a");
const given: Answer = { round: 3, item: "a", answer: 1 };
const feedback: Feedback = {
  round: 3,
  right: true,
  label: "moth",
  explanation: null,
  species: null,
};
const before = { ...feedback, right: false, item: shown("a") };

const asking: StudentView = {
  class_name: "4b",
  resting: false,
  lesson: 1,
  kind: "quiz",
  activity: "insects",
  activity_name: "Butterflies and moths",
  student: "0123456789abcdef",
  here: true,
  left: 1,
  finished: false,
  writing: null,
  experiment: null,
  group: null,
  phase: "teach",
  paused: false,
  round: 3,
  version: 9,
  nickname: "Ada",
  item,
  answered: false,
  feedback: null,
  example: null,
  progress: { answered: 0, judged: 0, right: 0, rounds: 0 },
};
const taken: StudentView = { ...asking, item: null, answered: true, feedback };
const next: StudentView = { ...asking, round: 4, item: asks("b"), example: before };

describe("an answer", () => {
  it("is under way while the view still asks for it", () => {
    expect(isNow(given, asking)).toBe(true);
    expect(isFurther(given, asking)).toBe(false);
    expect(resultOf(asking, given)).toBeNull();
  });

  it("has a result once it was taken, and waits for the others", () => {
    expect(isNow(given, taken)).toBe(false);
    expect(isFurther(given, taken)).toBe(false);
    expect(resultOf(taken, given)).toBe(feedback);
  });

  it("keeps its result when the class has moved on", () => {
    expect(isFurther(given, next)).toBe(true);
    expect(resultOf(next, given)).toBe(before);
  });

  it("has no result of another item", () => {
    expect(resultOf({ ...next, example: { ...before, item: shown("z") } }, given)).toBeNull();
  });

  it("is behind when the same item is asked in another round", () => {
    expect(isFurther(given, { ...next, item })).toBe(true);
  });
});

describe("the last answer of a lesson", () => {
  const over: StudentView = { ...taken, answered: false, finished: true, example: before };

  it("stays on the page with its result", () => {
    expect(isFurther(given, over)).toBe(false);
    expect(isKept(given, over)).toBe(true);
    expect(resultOf(over, given)).toBe(feedback);
    expect(lastExample(over, given)).toBeNull();
  });

  it("is shown as an example where its question is gone", () => {
    expect(lastExample(over, null)).toBe(before);
    expect(lastExample({ ...over, round: 9 }, null)).toBe(before); // other groups are further
    expect(lastExample({ ...over, finished: false, phase: "done" }, null)).toBe(before);
  });

  it("is not shown after a test, nor while the lesson continues", () => {
    expect(lastExample({ ...over, finished: false, phase: "done", round: 4 }, null)).toBeNull();
    expect(lastExample(next, null)).toBeNull();
  });
});

describe("the question that was answered", () => {
  it("stays while it is read, even if the class has moved on", () => {
    expect(isKept(given, asking)).toBe(true);
    expect(isKept(given, taken)).toBe(true);
    expect(isKept(given, next)).toBe(true);
  });

  it("goes when a later one was answered on another page", () => {
    expect(isKept(given, { ...next, item: null, answered: true, feedback })).toBe(false);
  });

  it("goes when its result is no longer in the view", () => {
    const later = { ...next, round: 5, example: { ...before, item: shown("b") } };
    expect(isKept(given, later)).toBe(false);
  });
});

describe("the answer that counts", () => {
  const asked = asks("a", [
    { value: 1, label: "butterfly" },
    { value: -1, label: "moth" },
  ]);
  const butterfly = given;
  const moth: Answer = { ...given, answer: -1 };

  it("is another one if the result does not match the answer given here", () => {
    expect(wasOther(butterfly, asked, feedback)).toBe(true);
    expect(wasOther(moth, asked, { ...feedback, right: false })).toBe(true);
  });

  it("is this one if the result matches, or if there is none", () => {
    expect(wasOther(moth, asked, feedback)).toBe(false);
    expect(wasOther(butterfly, asked, { ...feedback, right: false })).toBe(false);
    expect(wasOther(butterfly, asked, null)).toBe(false);
    expect(wasOther(butterfly, asked, { ...feedback, right: null })).toBe(false);
    expect(wasOther(butterfly, asked, { ...feedback, label: "beetle" })).toBe(false);
  });
});

it("a test shows no results", () => {
  expect(resultOf({ ...taken, phase: "posttest" }, null)).toBeNull();
});

it("after a reload the present result is shown, and nothing where nothing was answered", () => {
  expect(resultOf(taken, null)).toBe(feedback);
  expect(resultOf(next, null)).toBeNull();
  expect(resultOf(null, null)).toBeNull();
});
