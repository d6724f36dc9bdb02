// From what a pointer does to strokes: raw points, fractions of a pixel, seconds, pressure.

import type { InkPoint, Stroke } from "../api/schema.ts";

/** What of a PointerEvent matters here. */
export interface Touch {
  pointerId: number;
  pointerType: string;
  button: number;
  x: number;
  y: number;
  /** Milliseconds, as the browser counts them. */
  time: number;
  pressure: number;
}

export class Capture {
  private done: Stroke[] = [];
  private current: Stroke | null = null;
  private pointer: number | null = null;
  private kind = "";
  private begun: number | null = null;
  private penSeen = false;

  get strokes(): Stroke[] {
    return this.current === null ? this.done : [...this.done, this.current];
  }

  get empty(): boolean {
    return this.done.length === 0 && this.current === null;
  }

  /** A pointer goes down; true if it writes. A hand resting beside the pen does not. */
  down(touch: Touch): boolean {
    if (touch.button !== 0) return false;
    if (touch.pointerType === "pen") this.penComes();
    else if (this.penSeen && touch.pointerType === "touch") return false;
    if (this.pointer !== null) return false;
    this.begun ??= touch.time;
    this.pointer = touch.pointerId;
    this.kind = touch.pointerType;
    this.current = [this.point(touch)];
    return true;
  }

  move(touch: Touch): boolean {
    if (this.current === null || touch.pointerId !== this.pointer) return false;
    const last = this.current[this.current.length - 1];
    const next = this.point(touch);
    if (last !== undefined && last.x === next.x && last.y === next.y) return false;
    if (last !== undefined) next.t = Math.max(last.t, next.t);
    this.current.push(next);
    return true;
  }

  up(touch: Touch): boolean {
    if (this.current === null || touch.pointerId !== this.pointer) return false;
    this.move(touch);
    this.done = [...this.done, this.current];
    this.lift();
    return true;
  }

  /** The browser took the pointer away, for instance to scroll: what it drew was not meant. */
  cancel(pointerId: number): boolean {
    if (pointerId !== this.pointer) return false;
    this.lift();
    return true;
  }

  clear(): void {
    this.done = [];
    this.begun = null;
    this.lift();
  }

  private penComes(): void {
    this.penSeen = true;
    if (this.kind === "touch") this.lift(); // the palm was down before the pen
  }

  private lift(): void {
    this.current = null;
    this.pointer = null;
    this.kind = "";
    if (this.done.length === 0) this.begun = null;
  }

  private point(touch: Touch): InkPoint {
    const t = (touch.time - (this.begun ?? touch.time)) / 1000;
    const place = { x: touch.x, y: touch.y, t: Math.max(0, t) };
    // A mouse or a finger without sensor reports 0 or one half: that is no measurement.
    return touch.pointerType === "pen" ? { ...place, p: touch.pressure } : place;
  }
}
