// The error curve: a line, and below it, hatched, the uncertainty.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { ErrorPoint } from "../api/schema.ts";

export interface CurveOptions {
  round: string;
  language: string;
  goal: number | undefined;
}

const HEIGHT = 240;

/** Rounds, the total distance, and the part that is not uncertainty. */
export function columns(
  errors: Pick<ErrorPoint, "round" | "total" | "unsure">[],
): [number[], number[], number[]] {
  return [
    errors.map((point) => point.round),
    errors.map((point) => point.total),
    errors.map((point) => Math.max(0, point.total - point.unsure)),
  ];
}

export function curve(place: HTMLElement, { round, language, goal }: CurveOptions): uPlot {
  const style = getComputedStyle(place);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const font = `13px ${style.fontFamily}`;
  const say = (value: number | null) =>
    value === null
      ? ""
      : value.toLocaleString(language, { style: "percent", maximumFractionDigits: 0 });
  const axis: uPlot.Axis = {
    stroke: colour("--quiet"),
    font,
    grid: { stroke: colour("--rule"), width: 1 },
    ticks: { show: false },
  };
  const options: uPlot.Options = {
    width: place.clientWidth,
    height: HEIGHT,
    padding: [12, 12, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 8 } },
    scales: { x: { time: false, range: wholeRounds }, y: { range: fromZero } },
    axes: [
      {
        ...axis,
        label: round,
        labelFont: font,
        labelSize: 18,
        labelGap: 0,
        size: 30,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500],
      },
      { ...axis, size: 52, values: (_plot, values) => values.map(say) },
    ],
    series: [
      {},
      { stroke: colour("--accent"), width: 2.5, points: { show: isSingle } },
      { stroke: colour("--accent"), width: 1, dash: [4, 3], points: { show: false } },
    ],
    hooks: { draw: [(plot) => drawGoal(plot, goal, colour("--good"))] },
    bands: [{ series: [1, 2], fill: hatched(colour("--accent")) as unknown as string }],
  };
  return new uPlot(options, [[], [], []], place);
}

/** A line with a single point is invisible, so the point is drawn. */
const isSingle = (plot: uPlot) => plot.data[0].length < 2;

function drawGoal(plot: uPlot, goal: number | undefined, colour: string): void {
  if (goal === undefined || plot.data[0].length === 0) return;
  const { ctx: context, bbox } = plot;
  const height = Math.round(plot.valToPos(goal, "y", true));
  if (height < bbox.top || height > bbox.top + bbox.height) return;
  context.save();
  context.strokeStyle = colour;
  context.setLineDash([]);
  context.lineWidth = 2 * (window.devicePixelRatio || 1);
  context.beginPath();
  context.moveTo(bbox.left, height);
  context.lineTo(bbox.left + bbox.width, height);
  context.stroke();
  context.restore();
}

const fromZero = (_plot: uPlot, _low: number, high: number): [number, number] => [
  0,
  1.08 * (high || 1),
];
const wholeRounds = (_plot: uPlot, low: number, high: number): [number, number] => [
  low ?? 0,
  Math.max(high ?? 0, (low ?? 0) + 5),
];

/** A hatching pattern for the canvas; uPlot passes it on unchanged. */
function hatched(colour: string): CanvasPattern | string {
  const dense = window.devicePixelRatio || 1;
  const size = Math.round(8 * dense);
  const tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const context = tile.getContext("2d");
  if (context === null) return colour;
  context.strokeStyle = colour;
  context.globalAlpha = 0.55;
  context.lineWidth = dense;
  for (const shift of [-size, 0, size]) {
    context.moveTo(shift, size);
    context.lineTo(shift + size, 0);
  }
  context.stroke();
  return context.createPattern(tile, "repeat") ?? colour;
}
