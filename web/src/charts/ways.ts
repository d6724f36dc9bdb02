// Splits of a class: the cheapest one, and the range of the slider.

import type { SplitCost } from "../api/schema.ts";

export const cost = (way: SplitCost, lam: number): number => way.rounds + lam * way.workload;

/** The index of the cheapest split; among equals, the one with fewer groups. Null if there is none. */
export function cheapest(ways: SplitCost[], lam: number): number | null {
  let best: number | null = null;
  ways.forEach((way, place) => {
    const before = best === null ? undefined : ways[best];
    if (before === undefined || better(way, before, lam)) best = place;
  });
  return best;
}

function better(one: SplitCost, other: SplitCost, lam: number): boolean {
  const [mine, theirs] = [cost(one, lam), cost(other, lam)];
  return (
    mine < theirs || (mine === theirs && one.together + one.alone < other.together + other.alone)
  );
}

/** From the lambda at which the teacher's time decides alone to the one where the students' does. */
export function range(ways: SplitCost[]): [number, number] {
  const prices = ways
    .flatMap((one) =>
      ways.map((other) => (other.rounds - one.rounds) / (one.workload - other.workload)),
    )
    .filter((price) => Number.isFinite(price) && price > 0);
  if (prices.length === 0) return [0.1, 10];
  const low = prices.reduce((one, other) => Math.min(one, other));
  const high = prices.reduce((one, other) => Math.max(one, other));
  return [low / 1.5, high * 1.5];
}

/** The slider runs from 0 to 1 in equal ratios of lambda. */
export function lambdaAt(share: number, [low, high]: [number, number]): number {
  return low * (high / low) ** share;
}
