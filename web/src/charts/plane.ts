// From places on the class map to places in a drawing, without distortion; y grows upwards.

import type { Place } from "../api/schema.ts";

export interface Plane {
  to: (place: Place) => Place;
  /** The place on the map of a point of the drawing. */
  from: (point: Place) => Place;
  width: number;
  height: number;
}

const MARGIN = 0.08; // of the drawing, on each side

export function planeFor(places: Place[], width: number, height: number): Plane {
  const [left, right] = span(places.map((place) => place[0]));
  const [low, high] = span(places.map((place) => place[1]));
  const room = 1 - 2 * MARGIN;
  const scale = Math.min((room * width) / (right - left), (room * height) / (high - low));
  const [middleX, middleY] = [(left + right) / 2, (low + high) / 2];
  const to = ([x, y]: Place): Place => [
    width / 2 + scale * (x - middleX),
    height / 2 - scale * (y - middleY),
  ];
  const from = ([x, y]: Place): Place => [
    middleX + (x - width / 2) / scale,
    middleY - (y - height / 2) / scale,
  ];
  return { to, from, width, height };
}

function span(values: number[]): [number, number] {
  const known = values.filter(Number.isFinite);
  if (known.length === 0) return [-1, 1];
  const low = known.reduce((one, other) => Math.min(one, other));
  const high = known.reduce((one, other) => Math.max(one, other));
  return high > low ? [low, high] : [low - 1, high + 1];
}

/** The line <normal, x> = offset, from edge to edge of the drawing and beyond; null if there is none. */
export function lineAcross(plane: Plane, normal: Place, offset: number): [Place, Place] | null {
  const length = Math.hypot(...normal);
  if (!(length > 0)) return null;
  const [a, b] = [normal[0] / length, normal[1] / length];
  const foot: Place = [(a * offset) / length, (b * offset) / length];
  const from = plane.to(foot);
  const ahead = plane.to([foot[0] - b, foot[1] + a]);
  const [dx, dy] = [ahead[0] - from[0], ahead[1] - from[1]];
  const far = (2 * (plane.width + plane.height)) / Math.hypot(dx, dy);
  return [
    [from[0] - far * dx, from[1] - far * dy],
    [from[0] + far * dx, from[1] + far * dy],
  ];
}

/** The part of the drawing where each `<normal, place> - offset` is the largest: convex corners. */
export function regionsIn(plane: Plane, regions: { normal: Place; offset: number }[]): Place[][] {
  const { width, height } = plane;
  const corners: Place[] = [
    [0, 0],
    [width, 0],
    [width, height],
    [0, height],
  ];
  return regions.map((one) =>
    regions
      .filter((other) => other !== one)
      .reduce((part, other) => cut(part, (point) => lead(plane.from(point), one, other)), corners),
  );
}

/** By how much one region's score is larger than the other's. */
function lead(
  [x, y]: Place,
  one: { normal: Place; offset: number },
  other: { normal: Place; offset: number },
): number {
  const [a, b] = [one.normal[0] - other.normal[0], one.normal[1] - other.normal[1]];
  return a * x + b * y - (one.offset - other.offset);
}

/** The part of a convex shape where a linear function is not negative (Sutherland and Hodgman). */
function cut(shape: Place[], value: (point: Place) => number): Place[] {
  return shape.flatMap((point, place) => {
    const before = shape.at(place - 1) as Place;
    const [here, there] = [value(point), value(before)];
    const share = there / (there - here);
    const edge: Place = [
      before[0] + share * (point[0] - before[0]),
      before[1] + share * (point[1] - before[1]),
    ];
    return [...(here < 0 !== there < 0 ? [edge] : []), ...(here < 0 ? [] : [point])];
  });
}

/** A closed curve through the places, without corners; a place that comes again at the end counts once. */
export function rounded(places: Place[], plane: Plane): string {
  const points = places.map(plane.to);
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return "";
  if (points.length > 1 && Math.hypot(first[0] - last[0], first[1] - last[1]) < 0.01) points.pop();
  const at = (place: number) => points[(place + points.length) % points.length] as Place;
  const curves = points.map((_, place) =>
    curveTo(at(place - 1), at(place), at(place + 1), at(place + 2)),
  );
  return `M${say(first)}${curves.join("")}Z`;
}

/** From the second of four points to the third, in the direction of its neighbours (Catmull and Rom). */
function curveTo(before: Place, from: Place, to: Place, after: Place): string {
  const leave: Place = [from[0] + (to[0] - before[0]) / 6, from[1] + (to[1] - before[1]) / 6];
  const arrive: Place = [to[0] - (after[0] - from[0]) / 6, to[1] - (after[1] - from[1]) / 6];
  return `C${say(leave)} ${say(arrive)} ${say(to)}`;
}

const say = (place: Place) => place.map((value) => value.toFixed(1)).join(",");
