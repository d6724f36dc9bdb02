// Translates the server's codes: built-in activities, and why an item was chosen. What a teacher has
// written stays as it is.

import type {
  Board,
  BoardItem,
  Feedback,
  AskedItem,
  ChoiceReason,
  LastExample,
  MixUp,
  PresentItem,
  Projector,
  Report,
  StudentView,
} from "../api/schema.ts";
import type { Texts } from "./en.ts";

/** The words of an activity, where pages have their own. */
interface ActivityWords {
  name: string;
  question?: string;
  labels?: Record<string, string>;
}

const LETTER = "letter-";

/** The words of a built-in activity; undefined for one that a teacher has made. */
function wordsOf(texts: Texts, activity: string | undefined): ActivityWords | undefined {
  const builtIn: Record<string, ActivityWords> = {
    insects: texts.insects,
    "insects-8": { ...texts.insects, name: texts.insects.eight },
    leaves: texts.leaves,
    "times-tables": { name: texts.times_tables },
  };
  return Object.hasOwn(builtIn, activity ?? "") ? builtIn[activity ?? ""] : undefined;
}

/** The title of an activity. */
export function activityName(texts: Texts, id: string, name: string): string {
  if (id.startsWith(LETTER)) return texts.letter(id.slice(LETTER.length));
  return wordsOf(texts, id)?.name ?? name;
}

/** The word for an answer. */
export function labelIn(texts: Texts, activity: string | undefined, label: string): string {
  const known: Record<string, string> = wordsOf(texts, activity)?.labels ?? texts.answers;
  return Object.hasOwn(known, label) ? (known[label] ?? label) : label;
}

/** The item with its question and the words for the answers. */
export function itemIn(texts: Texts, activity: string | undefined, item: AskedItem): AskedItem {
  const options = item.options.map(({ value, label }) => ({
    value,
    label: labelIn(texts, activity, label),
  }));
  const own = item.question || questionFor(texts, options);
  const question = wordsOf(texts, activity)?.question ?? own;
  return { ...item, question, options };
}

/** The question about an item that has none: it names the answers if there are two. */
function questionFor(texts: Texts, options: AskedItem["options"]): string {
  const [one, other] = options;
  if (one === undefined || other === undefined || options.length > 2) return texts.student.which;
  const either = texts.student.either(one.label, other.label);
  return either.charAt(0).toLocaleUpperCase(texts.tag) + either.slice(1);
}

/** The right answer, and why. */
export function resultIn<T extends Pick<Feedback, "label" | "explanation" | "species">>(
  texts: Texts,
  activity: string | undefined,
  result: T,
): T {
  const code = result.species ?? "";
  const because = texts.insects.because[code] ?? texts.leaves.because[code];
  return {
    ...result,
    label: labelIn(texts, activity, result.label),
    explanation: because ?? result.explanation,
  };
}

export function viewIn(texts: Texts, view: StudentView): StudentView {
  const { activity, item, feedback, example } = view;
  return {
    ...view,
    activity_name: activityName(texts, activity, view.activity_name),
    item: item && itemIn(texts, activity, item),
    feedback: feedback && resultIn(texts, activity, feedback),
    example: example && resultIn(texts, activity, example),
  };
}

export function projectorIn(texts: Texts, view: Projector): Projector {
  const items = view.items.map((item) => ({
    ...item,
    ...itemIn(texts, view.activity, item),
    result: item.result && resultIn(texts, view.activity, item.result),
  }));
  return { ...view, items };
}

export function boardIn(texts: Texts, board: Board): Board {
  const label = <T extends { label: string }>(one: T): T => ({
    ...one,
    label: labelIn(texts, board.activity, one.label),
  });
  const example = <T extends PresentItem | LastExample>(one: T): T => ({
    ...resultIn(texts, board.activity, one),
    options: one.options.map(label),
    reason: one.reason && {
      ...one.reason,
      instead: one.reason.instead && labelIn(texts, board.activity, one.reason.instead),
    },
  });
  return {
    ...board,
    activity_name: activityName(texts, board.activity, board.activity_name),
    items: board.items.map(label),
    regions: board.regions.map(label),
    students: board.students.map((one) => ({
      ...one,
      choice: one.choice && labelIn(texts, board.activity, one.choice),
    })),
    next: board.next && example(board.next),
    last: board.last.map(example),
    groups: board.groups.map((group) => ({ ...group, next: group.next && example(group.next) })),
  };
}

export function reportIn(texts: Texts, report: Report): Report {
  const { activity, activity_name } = report;
  return {
    ...report,
    activity_name: activityName(texts, activity, activity_name),
    items: report.items.map((item) => ({ ...item, label: labelIn(texts, activity, item.label) })),
  };
}

/** Whether an explanation begins with the right answer, which is then not written twice. */
export function beginsWith(text: string | null, word: string | null): boolean {
  if (text === null || word === null || !text.toLowerCase().startsWith(word.toLowerCase()))
    return false;
  return !/^[\p{L}\p{N}]/u.test(text.slice(word.length)); // 4 does not begin 42
}

/** A short name for an item, where there is no space for its picture. */
export function called(texts: Texts, item: BoardItem): string {
  const species = texts.insects.species[item.species ?? ""];
  const number = item.id.replace(/^\D*0*/, "");
  if (species !== undefined) return `${species} ${number}`;
  const leaf = /^leaf-\d+$/.test(item.id) ? texts.leaves.one(number) : item.id;
  return item.text ?? item.question ?? leaf;
}

/** An answer that was given instead of the right one. */
export function mixUpIn(texts: Texts, activity: string, items: BoardItem[], mixed: MixUp): string {
  const word = (label: string) => labelIn(texts, activity, label);
  const item = items.find((one) => one.id === mixed.item);
  if (item === undefined)
    return texts.report.mixed(word(mixed.right), word(mixed.given), mixed.count);
  return texts.report.mixed_item(called(texts, item), word(mixed.given), mixed.count);
}

/** A smaller share of wrong answers is not stated as a number. */
const ALMOST_NONE = 0.05;

/** Why an item was chosen, in a teacher's words. */
export function whyIn(texts: Texts, reason: ChoiceReason | null | undefined): string {
  if (reason?.by === "teacher") return texts.next.chosen;
  const orders = { typical: texts.next.typical, represents: texts.next.represents };
  const covers = reason?.cover && orders[reason.cover as keyof typeof orders];
  if (reason?.by === "review")
    return covers ? `${texts.next.reached} ${covers}` : texts.next.review;
  if (reason?.wrong == null || reason.of == null) return "";
  const few = reason.wrong < ALMOST_NONE * Math.max(reason.of, 1);
  const wrong = Math.max(1, Math.round(reason.wrong));
  const said = Math.round(reason.said ?? 0);
  const mostly = reason.instead && said > 0 ? ` ${texts.next.mostly(said, reason.instead)}` : "";
  const would =
    reason.instead && reason.said == null
      ? texts.next.instead_of(wrong, reason.of, reason.instead)
      : texts.next.wrong(wrong, reason.of) + mostly;
  const parts = [covers, few ? texts.next.few : would, reason.unseen ? texts.next.unseen : ""];
  return parts.filter((part) => part).join(" ");
}
