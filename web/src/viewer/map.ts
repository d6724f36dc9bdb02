// Where lines, arrows and names lie on the drawing of a map.

import type { Place } from "../api/schema.ts";
import { lineAcross, planeFor, type Plane } from "../charts/plane.ts";
import type { Line, MapData } from "./page.ts";

export const WIDTH = 860;
const [SHORTEST, TALLEST] = [0.55, 0.85]; // of the width
const ARROW = 22;
const EDGE = 16; // the least distance of a name to the edge
const CLEARANCE = 40; // more distance to items and other names does not help
const LETTER = 10; // about the width of a letter of a name

export type Segment = [Place, Place];

/** A line with a name and an arrow to its yes-side. */
export interface NamedLine {
  segment: Segment;
  /** The direction to the yes-side on the drawing. */
  unit: Place;
  name: string;
  words: string;
  group: number | null;
  /** The position of the arrow on the line, from 0 to 1. */
  along: number;
}

export function planeOf(map: MapData): Plane {
  const places = map.items.map((item) => item.place);
  const span = (axis: 0 | 1) => {
    const values = places.map((place) => place[axis]);
    return values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
  };
  const tall = span(1) / (span(0) || 1);
  return planeFor(places, WIDTH, WIDTH * Math.min(Math.max(tall, SHORTEST), TALLEST));
}

/** The part of a line inside the drawing; null if there is none. */
export function visible(plane: Plane, line: Line): Segment | null {
  const ends = lineAcross(plane, line.normal, line.offset);
  if (ends === null) return null;
  const [[x1, y1], [x2, y2]] = ends;
  let [from, to] = [0, 1];
  for (const [start, step, size] of [
    [x1, x2 - x1, plane.width],
    [y1, y2 - y1, plane.height],
  ] as const) {
    if (step === 0 && (start < 0 || start > size)) return null;
    if (step === 0) continue;
    const edges = [-start / step, (size - start) / step];
    from = Math.max(from, Math.min(...edges));
    to = Math.min(to, Math.max(...edges));
  }
  const at = (share: number): Place => [x1 + share * (x2 - x1), y1 + share * (y2 - y1)];
  return from < to ? [at(from), at(to)] : null;
}

/** The middles of groups and the target, with their names off the items and off each other. */
export function namedLines(plane: Plane, map: MapData): NamedLine[] {
  const middles = map.groups.map((group, place) => ({
    lines: group.lines,
    name: `${place + 1}`,
    words: group.words,
    group: place,
    along: 0.88,
  }));
  const target = { name: "target", words: "The target: what the expert's labels ask for" };
  const lines = [
    ...middles,
    ...(map.target ? [{ ...target, lines: map.target, group: null, along: 0.12 }] : []),
  ];
  const taken = map.items.map((item) => plane.to(item.place));
  return lines.flatMap(({ lines: [line], ...rest }) => {
    const segment = line && visible(plane, line);
    if (!line || !segment) return [];
    const length = Math.hypot(...line.normal);
    const unit: Place = [line.normal[0] / length, -line.normal[1] / length];
    const free = withFreeName({ ...rest, segment, unit }, taken, plane);
    taken.push(tag(free, free.along));
    return [free];
  });
}

function withFreeName(line: NamedLine, taken: Place[], plane: Plane): NamedLine {
  let [best, along] = [-Infinity, line.along];
  for (let tried = 0.06; tried <= 0.94; tried += 0.02) {
    const [x, y] = tag(line, tried);
    const gap = taken.reduce(
      (least, at) => Math.min(least, Math.hypot(at[0] - x, at[1] - y)),
      CLEARANCE,
    );
    const inside = x > EDGE && x < plane.width - EDGE && y > EDGE && y < plane.height - EDGE;
    const good = gap - 10 * Math.abs(tried - line.along) - (inside ? 0 : plane.width);
    if (good > best) [best, along] = [good, tried];
  }
  return { ...line, along };
}

export function foot({ segment: [from, to] }: NamedLine, along: number): Place {
  return [from[0] + along * (to[0] - from[0]), from[1] + along * (to[1] - from[1])];
}

/** The place of a name beyond the tip of the arrow. */
export function tag(line: NamedLine, along: number): Place {
  const [x, y] = foot(line, along);
  const shift = 3.6 * (line.name.length - 1) * line.unit[0]; // keeps a long name off its arrow
  return [x + 1.6 * ARROW * line.unit[0] + shift, y + 1.6 * ARROW * line.unit[1] + 4];
}

/** The shaft and the head of an arrow, as an SVG path. */
export function arrow(line: NamedLine): { shaft: string; head: string } {
  const [x, y] = foot(line, line.along);
  const [dx, dy] = [ARROW * line.unit[0], ARROW * line.unit[1]];
  const [tipX, tipY] = [x + dx, y + dy];
  const left = `${tipX - 0.4 * dx - 0.22 * dy} ${tipY - 0.4 * dy + 0.22 * dx}`;
  const right = `${tipX - 0.4 * dx + 0.22 * dy} ${tipY - 0.4 * dy - 0.22 * dx}`;
  return { shaft: `M${x} ${y}L${tipX} ${tipY}`, head: `M${tipX} ${tipY}L${left}L${right}Z` };
}

/** The name of each region in its middle, and never across the edge of the drawing. */
export function regionNames(
  regions: Place[][],
  names: string[],
  plane: Plane,
  stacked: boolean,
): { name: string; at: Place }[] {
  const middles = regions.flatMap((corners, code) =>
    corners.length > 2 ? [{ middle: centroid(corners), name: names[code] ?? "" }] : [],
  );
  return middles
    .sort((one, other) => one.middle[0] - other.middle[0])
    .map(({ middle, name }, place) => {
      const half = 0.5 * LETTER * name.length;
      const x = Math.min(Math.max(middle[0], half), plane.width - half);
      const y = Math.min(Math.max(middle[1], EDGE), plane.height - EDGE / 2);
      return { name, at: [x, stacked ? EDGE * (1.5 + (place % 2)) : y] };
    });
}

function centroid(corners: Place[]): Place {
  let [area, x, y] = [0, 0, 0];
  corners.forEach((one, place) => {
    const next = corners[(place + 1) % corners.length] as Place;
    const cross = one[0] * next[1] - next[0] * one[1];
    area += cross;
    x += (one[0] + next[0]) * cross;
    y += (one[1] + next[1]) * cross;
  });
  return Math.abs(area) < 1e-9 ? (corners[0] as Place) : [x / (3 * area), y / (3 * area)];
}
