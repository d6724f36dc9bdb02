// The robot's pen: its position at a time, and the strokes written so far.

import type { InkPoint, Stroke } from "../api/schema.ts";

const POINT_SECONDS = 0.1; // seconds between points of a letter without times

export interface Written {
  strokes: Stroke[];
  /** Where the pen touches the paper, or null while it is in the air. */
  tip: InkPoint | null;
}

/** The strokes with increasing times; letters without times are written slowly. */
export function timed(strokes: Stroke[]): Stroke[] {
  const last = strokes.at(-1)?.at(-1)?.t ?? 0;
  if (last > 0) return strokes;
  let now = 0;
  return strokes.map((stroke) => {
    const written = stroke.map((point, place) => ({ ...point, t: now + place * POINT_SECONDS }));
    now += (stroke.length + 2) * POINT_SECONDS; // two steps in the air
    return written;
  });
}

export function seconds(strokes: Stroke[]): number {
  return strokes.at(-1)?.at(-1)?.t ?? 0;
}

export function writtenBy(strokes: Stroke[], now: number): Written {
  const begun = strokes.filter((stroke) => stroke[0] !== undefined && stroke[0].t <= now);
  const parts = begun.map((stroke) => partOf(stroke, now));
  const current = begun.at(-1);
  const down = current !== undefined && now < (current.at(-1)?.t ?? 0);
  return { strokes: parts, tip: down ? (parts.at(-1)?.at(-1) ?? null) : null };
}

function partOf(stroke: Stroke, now: number): Stroke {
  const next = stroke.findIndex((point) => point.t > now);
  if (next < 0) return stroke;
  const [from, to] = [stroke[next - 1], stroke[next]];
  if (from === undefined || to === undefined) return stroke.slice(0, next);
  const share = (now - from.t) / (to.t - from.t);
  const x = from.x + share * (to.x - from.x);
  const y = from.y + share * (to.y - from.y);
  return [...stroke.slice(0, next), { ...to, x, y, t: now }];
}
