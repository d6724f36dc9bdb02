// The coordinates of the curve of wrong answers.

import type { ErrorPoint, Place } from "../api/schema.ts";

export const HEIGHT = 234;
export const EDGE = { left: 44, right: 12, top: 28, bottom: 30 };

export interface Drawn {
  /** The share of wrong answers at most, and the part that is not uncertainty. */
  total: Place[];
  sure: Place[];
  /** The height of the goal. */
  goal: number;
  rounds: { value: number; x: number }[];
  distances: { value: number; y: number }[];
}

/** The fewest rounds that the curve of a running lesson has space for. */
const FEWEST_ROUNDS = 5;

/**
 * `width` in pixels, so that numbers can be read on a phone. A `rising` curve has wrong answers from
 * the top; any other is that of a running lesson.
 */
export function drawn(
  errors: Pick<ErrorPoint, "round" | "total" | "unsure">[],
  goal: number,
  width: number,
  rising: boolean,
): Drawn {
  const rounds = errors.map((point) => point.round);
  const first = rounds[0] ?? 0;
  const last = Math.max(rounds.at(-1) ?? 0, first + (rising ? 1 : FEWEST_ROUNDS));
  const most = 1.05 * Math.max(Math.min(goal, 1), ...errors.map((point) => point.total));
  const across = (width - EDGE.left - EDGE.right) / (last - first);
  const top = rising ? EDGE.top : EDGE.right; // only a rising curve has words above it
  const up = (HEIGHT - top - EDGE.bottom) / (most || 1);
  const x = (round: number) => EDGE.left + across * (round - first);
  const y = (wrong: number) => (rising ? top + up * wrong : HEIGHT - EDGE.bottom - up * wrong);
  const unit = Math.max(1, step(last - first, width / 64));
  return {
    total: errors.map((point) => [x(point.round), y(point.total)]),
    sure: errors.map((point) => [x(point.round), y(Math.max(0, point.total - point.unsure))]),
    goal: y(Math.min(goal, 1)),
    rounds: steps(first, last, unit).map((value) => ({ value, x: x(value) })),
    distances: steps(0, most, step(most, 4)).map((value) => ({ value, y: y(value) })),
  };
}

export const points = (places: Place[]): string =>
  places.map((place) => place.map((value) => value.toFixed(1)).join(",")).join(" ");

/** A round step that gives about this many ticks. */
function step(range: number, count: number): number {
  const rough = range / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((nice) => nice * power >= rough) ?? 10);
}

function steps(from: number, to: number, unit: number): number[] {
  const first = Math.ceil(from / unit);
  const count = Math.floor(to / unit + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, place) => (first + place) * unit);
}
