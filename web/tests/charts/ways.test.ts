import { describe, expect, it } from "vitest";
import type { SplitCost } from "../../src/api/schema.ts";
import { cheapest, lambdaAt, range } from "../../src/charts/ways.ts";

const ways: SplitCost[] = [
  { rounds: 20, workload: 10, together: 1, alone: 0 },
  { rounds: 26, workload: 6, together: 2, alone: 0 },
  { rounds: 40, workload: 2, together: 3, alone: 4 },
];

describe("ways to split a class", () => {
  it("keep the class together while only the teacher's time counts, and split it while only theirs does", () => {
    const [low, high] = range(ways);
    expect(cheapest(ways, low)).toBe(0);
    expect(cheapest(ways, high)).toBe(2);
  });

  it("are the cheapest at T + lambda S", () => {
    expect(cheapest(ways, 2)).toBe(1); // 40, 38, 44
  });

  it("have the fewest groups among equals", () => {
    expect(cheapest(ways, 1.5)).toBe(0); // 35, 35, 43
    expect(cheapest(ways.toReversed(), 1.5)).toBe(2);
  });

  it("may be none", () => {
    expect(cheapest([], 1)).toBeNull();
    expect(range([])).toEqual([0.1, 10]);
  });

  it("are reached by a slider in equal ratios", () => {
    expect(lambdaAt(0, [0.5, 8])).toBe(0.5);
    expect(lambdaAt(0.5, [0.5, 8])).toBeCloseTo(2);
    expect(lambdaAt(1, [0.5, 8])).toBe(8);
  });
});
