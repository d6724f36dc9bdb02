// The data of a page, as `homeroom.plots.Page` writes it.

import type { Place } from "../api/schema.ts";

export interface PageData {
  title: string;
  parts: Part[];
  footer: string;
}

export interface Picture {
  source: string;
  caption: string;
  alternative: string;
  /** Whether it gets a row of its own in a gallery. */
  broad: boolean;
}

export interface TableData {
  header: string[];
  rows: string[][];
  /** Cells to highlight, as row and column. */
  best: [number, number][];
  /** Whether the cells hold words rather than numbers. */
  words: boolean;
  /** Curves below the text of cells, with points from 0 to 1. */
  curves: { cell: [number, number]; points: Place[]; words: string }[];
}

export interface Card {
  name: string;
  answer: string;
  times: number;
  picture: string | null;
  /** The place of the answer among all answers, which selects its colour. */
  code: number;
}

/** A straight line <normal, x> = offset; annotators say yes where it is larger. */
export interface Line {
  normal: Place;
  offset: number;
}

export interface MapData {
  described: string;
  caption: string;
  /** Why the middle of a group may lie outside of the drawing. */
  outside: string;
  /** The names of the classes, if there are more than two. */
  classes: string[];
  items: {
    place: Place;
    words: string;
    /** 1 and -1, or the position of a class; null without an expert's label. */
    label: number | null;
    picture: string | null;
    /** Half-axes and angle in radians of the ellipse that holds 95 %; null if not known. */
    ellipse: [number, number, number] | null;
  }[];
  /** Each annotator has one line, or one for each class. */
  people: { lines: Line[]; group: number; words: string }[];
  groups: { lines: Line[]; words: string }[];
  target: Line[] | null;
  regions: Line[];
}

export interface Letter {
  good: boolean;
  scores: number[];
  strokes: { p: Place[]; t: number[] }[];
}

export interface LettersData {
  letter: string;
  /** Left, top, width and height of the drawing. */
  box: [number, number, number, number];
  model: Place[][];
  /** The heights of the ruled lines. */
  lines: number[];
  scores: string[];
  lessons: { name: string; about: string; letters: Letter[] }[];
}

export type Part =
  | { kind: "heading"; text: string }
  | { kind: "text"; text: string }
  | { kind: "numbers"; named: [string, string][] }
  | ({ kind: "table" } & TableData)
  | { kind: "gallery"; pictures: Picture[] }
  | { kind: "strip"; cards: Card[]; more: number; caption: string }
  | ({ kind: "map" } & MapData)
  | ({ kind: "letters" } & LettersData);
