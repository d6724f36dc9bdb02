// Exponential backoff with jitter: how long to wait before the next attempt.

const FIRST = 500;
const LONGEST = 15_000;

export function pauseBefore(attempt: number, random: () => number = Math.random): number {
  const longest = Math.min(LONGEST, FIRST * 2 ** attempt);
  return longest / 2 + (longest / 2) * random();
}
