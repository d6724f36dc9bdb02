// The sheet of paper: from the pixels of the screen to the units of the letters, and back.

import type { Box, InkPoint, Stroke } from "../api/schema.ts";

export interface Sheet {
  /** Pixels for one unit. */
  scale: number;
  /** Where the box begins, in pixels. */
  x: number;
  y: number;
  box: Box;
}

/** The box as large as it fits, in the middle, without distortion. */
export function fit(box: Box, width: number, height: number): Sheet {
  const scale = Math.min(width / box[2], height / box[3]);
  return { scale, x: (width - scale * box[2]) / 2, y: (height - scale * box[3]) / 2, box };
}

export function toPixels(sheet: Sheet, point: InkPoint): InkPoint {
  const [left, top] = sheet.box;
  return {
    ...point,
    x: sheet.x + sheet.scale * (point.x - left),
    y: sheet.y + sheet.scale * (point.y - top),
  };
}

export function toUnits(sheet: Sheet, point: InkPoint): InkPoint {
  const [left, top] = sheet.box;
  return {
    ...point,
    x: left + (point.x - sheet.x) / sheet.scale,
    y: top + (point.y - sheet.y) / sheet.scale,
  };
}

export const each = (strokes: Stroke[], move: (point: InkPoint) => InkPoint): Stroke[] =>
  strokes.map((stroke) => stroke.map(move));
