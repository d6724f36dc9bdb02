// Keeps small texts in the browser. Private windows may refuse; then nothing is kept.

/** The key of the answers that the server has not acknowledged. */
export const ANSWERS = "homeroom.answers";

/** The key of the name with which a student joined on this device. */
export const NAME = "homeroom.nickname";

/** The next student on this device is someone else. */
export function forgetName(): void {
  keep(NAME, null);
}

export function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function keep(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Nothing is kept: the page works, and forgets when it is closed.
  }
}
