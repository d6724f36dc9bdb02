// The outline of a stroke as a pen would leave it. For the eye only; scores see the raw points.

import { getStroke } from "perfect-freehand";
import type { Stroke } from "../api/schema.ts";

export function outline(stroke: Stroke, size: number, finished = true): Path2D {
  const measured = stroke.some((point) => point.p !== undefined && point.p !== null);
  const points = stroke.map((point) => [point.x, point.y, point.p ?? 0.5]);
  const border = getStroke(points, {
    size,
    thinning: measured ? 0.5 : 0.25,
    smoothing: 0.5,
    streamline: 0.2,
    simulatePressure: !measured,
    last: finished,
  });
  return closed(border as [number, number][]);
}

/** A path through the middles of the border's edges, with the corners as handles. */
function closed(border: [number, number][]): Path2D {
  const path = new Path2D();
  border.forEach(([x, y], place) => {
    const [nextX, nextY] = border[(place + 1) % border.length] ?? [x, y];
    const middle: [number, number] = [(x + nextX) / 2, (y + nextY) / 2];
    if (place === 0) path.moveTo(...middle);
    else path.quadraticCurveTo(x, y, ...middle);
  });
  path.closePath();
  return path;
}

/** A plain line through the points, for drawings in SVG. */
export function line(strokes: Stroke[]): string {
  return strokes
    .filter((stroke) => stroke.length > 0)
    .map((stroke) => {
      const places = stroke.map((point) => `${round(point.x)} ${round(point.y)}`);
      return `M${places.length === 1 ? [places[0], places[0]].join("L") : places.join("L")}`;
    })
    .join("");
}

const round = (value: number) => Math.round(value * 1000) / 1000;
