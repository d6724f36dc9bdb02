// Paints paper, letters and the robot's pencil on a canvas, in the colours of the style sheet.

import type { Box, InkPoint, Stroke } from "../api/schema.ts";
import { outline } from "./outline.ts";
import { each, fit, toPixels, type Sheet } from "./sheet.ts";

const RULED = [-1, 0]; // the height of an x, and the baseline
const WIDTH = 0.09; // of the line, in heights of an x

export interface Scene {
  context: CanvasRenderingContext2D;
  sheet: Sheet;
  width: number;
  height: number;
  colour: (name: string) => string;
}

/** The canvas at the screen's own resolution, ready to paint; null where it has no size yet. */
export function sceneOf(canvas: HTMLCanvasElement, box: Box): Scene | null {
  const { width, height } = canvas.getBoundingClientRect();
  const context = canvas.getContext("2d");
  if (context === null || width === 0 || height === 0) return null;
  const dense = window.devicePixelRatio || 1;
  const [across, down] = [Math.round(width * dense), Math.round(height * dense)];
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
  }
  context.setTransform(dense, 0, 0, dense, 0, 0);
  context.clearRect(0, 0, width, height);
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return { context, sheet: fit(box, width, height), width, height, colour };
}

export function paintLines({ context, sheet, width, colour }: Scene): void {
  context.strokeStyle = colour("--lines");
  context.lineWidth = 1.5;
  for (const height of RULED) {
    const { y } = toPixels(sheet, { x: 0, y: height, t: 0 });
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(width, y);
    context.stroke();
  }
}

/** The model as a dotted path to follow. */
export function paintModel({ context, sheet, colour }: Scene, model: Stroke[]): void {
  context.save();
  context.strokeStyle = colour("--edge");
  context.globalAlpha = 0.8;
  context.lineWidth = 2;
  context.lineCap = "round";
  context.setLineDash([1, 7]);
  for (const stroke of each(model, (point) => toPixels(sheet, point))) {
    context.beginPath();
    for (const point of stroke) context.lineTo(point.x, point.y);
    context.stroke();
  }
  context.restore();
}

/** Strokes in pixels, as a pen leaves them; the last may still be under way. */
export function paintInk(scene: Scene, strokes: Stroke[], finished = true): void {
  const { context, sheet, colour } = scene;
  context.fillStyle = colour("--ink");
  strokes.forEach((stroke, place) => {
    const whole = finished || place < strokes.length - 1;
    context.fill(outline(stroke, WIDTH * sheet.scale, whole));
  });
}

/** A pencil whose tip touches the point. */
export function paintPencil({ context, sheet, colour }: Scene, tip: InkPoint): void {
  const size = Math.max(60, sheet.scale * 0.7);
  const half = size * 0.075;
  context.save();
  context.translate(tip.x, tip.y);
  context.rotate(Math.PI / 5);
  piece(context, colour("--ink"), [
    [0, 0],
    [-half / 3, -size * 0.08],
    [half / 3, -size * 0.08],
  ]);
  piece(context, "#e8c9a0", [
    [-half / 3, -size * 0.08],
    [half / 3, -size * 0.08],
    [half, -size * 0.24],
    [-half, -size * 0.24],
  ]);
  piece(context, "#e0a020", [
    [-half, -size * 0.24],
    [half, -size * 0.24],
    [half, -size],
    [-half, -size],
  ]);
  piece(context, "#c47f00", [
    [-half, -size * 0.24],
    [-half / 3, -size * 0.24],
    [-half / 3, -size],
    [-half, -size],
  ]);
  piece(context, "#c8616b", [
    [-half, -size],
    [half, -size],
    [half, -size * 1.09],
    [-half, -size * 1.09],
  ]);
  context.restore();
}

function piece(context: CanvasRenderingContext2D, fill: string, corners: [number, number][]): void {
  context.fillStyle = fill;
  context.beginPath();
  for (const [x, y] of corners) context.lineTo(x, y);
  context.closePath();
  context.fill();
}
