// From scores (0 is like the model) to steps that a child understands: seed to flower.

import type { Scores } from "../api/schema.ts";

export const STEPS = 4;
const LIMITS = [0.6, 0.4, 0.2]; // a score below the last is a flower

export function step(defect: number): number {
  return LIMITS.filter((limit) => defect < limit).length;
}

export function closeness(scores: Scores): number {
  const defects = Object.values(scores);
  if (defects.length === 0) return 0;
  return 1 - defects.reduce((sum, defect) => sum + defect, 0) / defects.length;
}
