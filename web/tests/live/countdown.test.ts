import { expect, it } from "vitest";
import { secondsLeft } from "../../src/live/countdown.ts";

it.each([
  [20, 0, 20],
  [20, 999, 20],
  [20, 1000, 19],
  [20, 19_500, 1],
  [20, 60_000, 0],
  [20, -500, 20], // the clock was set back
  [null, 100, null],
])("%s seconds, %s ms later", (seconds, passed, left) => {
  expect(secondsLeft(seconds, passed)).toBe(left);
});
