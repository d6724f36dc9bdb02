// What has become of an answer, as far as the student's view shows it.

import type { Answer, AskedItem, Feedback, PreviousExample, StudentView } from "../api/schema.ts";

/** The view still asks what was answered here. */
export function isNow(given: Answer, now: StudentView | null): boolean {
  return given.round === now?.round && given.item === now.item?.id;
}

/** The class has moved on: there is another question. */
export function isFurther(given: Answer, now: StudentView | null): boolean {
  return now !== null && now.item !== null && !isNow(given, now);
}

/** The question may stay, to be read: its result is still known, and no later one was answered elsewhere. */
export function isKept(given: Answer, now: StudentView): boolean {
  return given.round === now.round || (!now.answered && resultOf(now, given) !== null);
}

/** Only the first answer to a question counts; it was given on another page and differs. */
export function wasOther(given: Answer, asked: AskedItem, result: Feedback | null): boolean {
  const right = asked.options.find((option) => option.label === result?.label);
  if (result === null || result.right === null || right === undefined) return false;
  return result.right !== (given.answer === right.value);
}

/** The result of an answer, or of the present question where none was given on this page. */
export function resultOf(now: StudentView | null, given: Answer | null): Feedback | null {
  if (now === null || now.phase !== "teach") return null;
  if (given === null || given.round === now.round) return now.feedback;
  return now.example?.item.id === given.item ? now.example : null;
}

/** The last example of the lesson, where no question is left on the page to show it with. */
export function lastExample(now: StudentView | null, given: Answer | null): PreviousExample | null {
  if (now === null || given !== null) return null;
  if (now.finished) return now.example; // others may be further
  return now.phase === "done" && now.example?.round === now.round ? now.example : null;
}
