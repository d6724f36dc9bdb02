// What the server says: the shapes of its answers, and nothing else.

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
  /** Seconds since the letter was begun. */
  t: number;
  /** How hard the pen was pressed, 0 to 1, where that is known. */
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
  /** Whether this student's own answer was right; null where there was none. */
  right: boolean | null;
  label: string;
  explanation?: string | null;
  /** Of a built-in insect: by which it is explained in any language. */
  species?: string | null;
}

/** The example of the round before. */
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
  /** What to answer now; null when there is nothing (more) to answer in this round. */
  item: Item | null;
  /** How many items of this round are not answered yet. */
  left?: number;
  answered: boolean;
  feedback: Feedback | null;
  /** The lesson has reached its end; the teacher begins what comes next. */
  finished?: boolean;
  example: Example | null;
  progress: Progress;
  group?: string | null;
  writing?: Writing | null;
}

/** What a child's page needs: the letter, its model, and what the robot wrote. */
export interface Writing {
  letter: string;
  /** Left, top, width and height of the sheet, in the points' unit; y grows downwards. */
  box: [number, number, number, number];
  model: Stroke[];
  /** What the robot wrote, to be corrected; nothing before the child's first letter. */
  robot: { strokes: Stroke[] } | null;
  /** How many letters the child has written. */
  tries: number;
}

export type Scores = Record<string, number>;

export interface InkAnswer {
  /** Defects from 0 (as the model) to 1. */
  scores: Scores;
  next: { strokes: Stroke[] } | null;
}

// ---------------------------------------------------------------- teacher

export interface Me {
  signed_in: boolean;
  /** No password has been chosen yet. */
  first?: boolean;
  /** Where phones reach the server, if that is not the address of this page. */
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
  /** False for a name on the class list that nobody has taken yet. */
  joined?: boolean;
  answered: boolean;
  /** How much she has answered or written in all. */
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
  /** What the group is shown in this round. */
  next?: Next | null;
}

export interface ErrorPoint {
  round: number;
  total: number;
  unsure: number;
}

export interface Reason {
  by: string;
  /** How many would answer wrong, of how many, and which part of the error seeing it takes off. */
  wrong?: number;
  of?: number;
  off?: number;
}

export interface Next {
  item: string;
  label: string;
  /** The numbers of which the page makes a sentence. */
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
  /** The door is closed to all who are not in the class yet. */
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
  /** Why the lesson is over, where it is, in short words. */
  finished?: string[] | null;
}

/** A class of a school's export, of which one is to be chosen. */
export interface OfferedClass {
  /** Its sourcedId. */
  id: string;
  title: string;
  students: number;
}

/** A code with which a student gets her seat back, once. */
export interface OfferedSeat {
  code: string;
  minutes: number;
  link: string;
  /** The link as a QR code: its rows, 1 where it is dark. */
  qr: string[];
}

export interface Way {
  /** How many examples the teacher shows in all. */
  rounds: number;
  /** How many examples a student sees, on average. */
  workload: number;
  together: number;
  alone: number;
}

export interface Ways {
  ways: Way[];
  /** The place of the cheapest way at the lambda asked for. */
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

/** A child's first letter and the last one, if there are several. */
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
  /** Which part of the tests' answers was right; null where there was no test. */
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
