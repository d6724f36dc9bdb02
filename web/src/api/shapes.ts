// The types of the server's responses.

export type Phase = "lobby" | "pretest" | "teach" | "posttest" | "done";
export type Kind = "quiz" | "writing";
export type Place = [number, number];

export interface Option {
  value: number;
  label: string;
}

export interface Point {
  x: number;
  y: number;
  /** Seconds since the start of the letter. */
  t: number;
  /** Pressure of the pen, 0 to 1, if known. */
  p?: number | null;
}

export type Stroke = Point[];

// ---------------------------------------------------------------- student

export interface Item {
  id: string;
  picture?: string | null;
  text?: string | null;
  question?: string | null;
  options: Option[];
}

export interface Feedback {
  /** Whether this student's answer was right; null if there was none. */
  right: boolean | null;
  label: string;
  explanation?: string | null;
  /** The species of a built-in insect, for an explanation in any language. */
  species?: string | null;
}

/** The last example before the present round. */
export interface Example extends Feedback {
  round: number;
  item: { id: string; picture?: string | null; text?: string | null };
}

export interface Progress {
  answered: number;
  /** How many of the answers `right` counts: not those of a test that is not over. */
  judged: number;
  right: number;
  rounds: number;
}

export interface View {
  kind?: Kind;
  activity?: string;
  phase: Phase;
  paused: boolean;
  round: number;
  version: number;
  nickname: string;
  /** The question to answer; null if there is none (left) in this round. */
  item: Item | null;
  /** How many items of this round are not answered yet. */
  left?: number;
  answered: boolean;
  feedback: Feedback | null;
  /** The lesson is over; the teacher starts the next phase. */
  finished?: boolean;
  example: Example | null;
  progress: Progress;
  group?: string | null;
  writing?: Writing | null;
}

/** What the page for writing needs: the letter, its model, and the robot's letter. */
export interface Writing {
  letter: string;
  /** Left, top, width and height of the sheet, in the points' unit; y grows downwards. */
  box: [number, number, number, number];
  model: Stroke[];
  /** The robot's letter, to be corrected; null before the student's first letter. */
  robot: { strokes: Stroke[] } | null;
  /** How many letters the student has written. */
  tries: number;
}

export type Scores = Record<string, number>;

export interface InkAnswer {
  /** Scores from 0 (like the model) to 1. */
  scores: Scores;
  next: { strokes: Stroke[] } | null;
}

// ---------------------------------------------------------------- teacher

export interface Me {
  signed_in: boolean;
  /** No password has been chosen yet. */
  first?: boolean;
  /** The address for phones, if it is not the address of this page. */
  address?: string | null;
}

export interface Activity {
  id: string;
  name: string;
  kind: Kind;
  items: number;
  built_in: boolean;
  question?: string | null;
}

export interface ClassLine {
  class: string;
  name: string;
  activity: string;
  activity_name?: string;
  kind: Kind;
  phase: Phase;
  students: number;
  code: string;
}

export interface Band {
  middle: number;
  low: number;
  high: number;
}

export interface BoardStudent {
  id: string;
  name: string;
  here: boolean;
  /** False for a student on the class list who has not joined yet. */
  joined?: boolean;
  answered: boolean;
  /** How many answers or letters the student has given in total. */
  answers: number;
  p_right: Band | null;
  state: Place | null;
  ellipse: Place[] | null;
  group: number | null;
  rate_words?: string | null;
  honest?: boolean | null;
}

export interface BoardItem {
  id: string;
  place: Place | null;
  label: string;
  picture?: string | null;
  text?: string | null;
  /** Of a built-in insect. */
  species?: string | null;
  /** Whether it can be shown as an example. */
  usable?: boolean;
}

export interface Group {
  name: string;
  size: number;
  /** Which colour of the palette, counted from 0. */
  colour: number;
  /** The group's item in this round. */
  next?: Next | null;
}

export interface ErrorPoint {
  round: number;
  total: number;
  unsure: number;
}

export interface Reason {
  by: string;
  /** Expected wrong answers, number of students, and the fraction by which the error is reduced. */
  wrong?: number;
  of?: number;
  off?: number;
}

export interface Next {
  item: string;
  label: string;
  /** The numbers that the page puts into a sentence. */
  reason?: Reason | null;
  group?: string | null;
}

/** What a group saw in the last round that is over. */
export interface LastExample {
  group: string | null;
  item: string;
  label: string;
  explanation?: string | null;
  species?: string | null;
  answers: number;
  right: number;
}

export interface Board {
  class: string;
  name: string;
  activity: string;
  kind?: Kind;
  phase: Phase;
  paused: boolean;
  /** No new students can join. */
  locked: boolean;
  round: number;
  version: number;
  students: BoardStudent[];
  items: BoardItem[];
  target: { normal: Place; offset: number; state?: Place } | null;
  errors: ErrorPoint[];
  /** The lesson is over when the error is below it. */
  goal?: number;
  next: Next | null;
  last: LastExample[];
  groups: Group[];
  counts: Record<string, number>;
  code: string;
  retention_days: number;
  /** Why the class cannot continue at the moment. */
  trouble?: "store" | "failed" | null;
  /** Why the lesson is over, as short codes; null while it is not. */
  finished?: string[] | null;
}

/** A class of a school's export. */
export interface OfferedClass {
  /** Its sourcedId. */
  id: string;
  title: string;
  students: number;
}

/** A code with which a student gets their seat back, once. */
export interface OfferedSeat {
  code: string;
  minutes: number;
  link: string;
  /** The link as a QR code: its rows, 1 where it is dark. */
  qr: string[];
}

export interface Way {
  /** How many examples the teacher shows in total. */
  rounds: number;
  /** How many examples a student sees, on average. */
  workload: number;
  together: number;
  alone: number;
}

export interface Ways {
  ways: Way[];
  /** The index of the cheapest split for the given lambda. */
  best: number | null;
  now?: Way | null;
}

export interface Try {
  round: number;
  strokes: Stroke[];
  scores: Scores;
}

export interface ReportStudent extends Progress {
  id: string;
  name: string;
  p_right: Band | null;
  rate_words?: string | null;
  honest?: boolean | null;
}

/** What a group saw in a round, and how many were right. */
export interface Shown {
  round: number;
  group: string | null;
  item: string;
  answers: number;
  right: number;
  skipped: boolean;
  reason: Reason | null;
}

/** A student's first letter, and the last one if there are several. */
export interface Writer {
  id: string;
  name: string;
  letters: number;
  first: Try | null;
  last: Try | null;
}

export interface Report {
  name: string;
  activity: string;
  activity_name: string;
  kind: Kind;
  /** Times as in 2026-03-04T10:15:00.000Z. */
  began: string;
  last: string;
  retention_days: number;
  goal: number;
  counts: { students: number; examples: number; letters: number };
  /** The fraction of right answers in the tests; null if there was no test. */
  before: number | null;
  after: number | null;
  errors: ErrorPoint[];
  students: ReportStudent[];
  shown: Shown[];
  items: BoardItem[];
  writing: (Omit<Letters, "students"> & { students: Writer[] }) | null;
}

export interface Letters {
  letter: string;
  box: [number, number, number, number];
  model: Stroke[];
  students: { id: string; name: string; tries: Try[] }[];
}
