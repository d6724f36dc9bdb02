// How long to wait before trying again: twice as long each time, and never all at the same moment.

const FIRST = 500;
const LONGEST = 15_000;

export function pauseBefore(attempt: number, random: () => number = Math.random): number {
  const longest = Math.min(LONGEST, FIRST * 2 ** attempt);
  return longest / 2 + (longest / 2) * random();
}
