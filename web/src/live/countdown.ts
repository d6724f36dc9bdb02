// How many seconds of a countdown are left, as a page shows them.

/** `seconds` were left `passed` milliseconds ago; null without a countdown. Never below zero. */
export function secondsLeft(seconds: number | null, passed: number): number | null {
  if (seconds === null) return null;
  return Math.max(0, Math.ceil(seconds - Math.max(0, passed) / 1000));
}
