// Keeps every answer until the server has acknowledged it, and sends it again until then.
// The server counts an answer once, however often it arrives.

import type { Answer } from "../api/schema.ts";
import { pauseBefore } from "./backoff.ts";

/** "later": no acknowledgement, try again. "refused": the server will never accept it. */
export type Outcome = "taken" | "refused" | "later";

/** Keeps one text in the browser. */
export interface StoredText {
  read(): string | null;
  write(text: string | null): void;
}

export class Outbox {
  private waiting: Answer[];
  private attempt = 0;
  private running = false;
  private wake: (() => void) | null = null;
  private readonly stored: StoredText;
  private readonly send: (answer: Answer) => Promise<Outcome>;
  private readonly changed: (waiting: readonly Answer[]) => void;

  constructor(
    stored: StoredText,
    send: (answer: Answer) => Promise<Outcome>,
    changed: (waiting: readonly Answer[]) => void = () => {},
  ) {
    this.stored = stored;
    this.send = send;
    this.changed = changed;
    this.waiting = answersIn(stored.read());
  }

  get pending(): readonly Answer[] {
    return this.waiting;
  }

  /** Keep an answer and send it; a newer answer to the same question replaces the older. */
  add(answer: Answer): void {
    const others = this.waiting.filter((one) => !sameQuestion(one, answer));
    this.keep([...others, answer]);
    void this.flush();
  }

  /** Send all waiting answers, oldest first. */
  async flush(): Promise<void> {
    this.hurry();
    if (this.running) return;
    this.running = true;
    try {
      for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
        const outcome = await this.send(next);
        if (outcome === "later") await this.rest();
        else this.settle(next);
      }
    } finally {
      this.running = false;
    }
  }

  /** Try again at once: the connection is back. */
  hurry(): void {
    this.attempt = 0;
    this.wake?.();
  }

  forget(): void {
    this.keep([]);
    this.hurry();
  }

  private settle(answer: Answer): void {
    this.attempt = 0;
    this.keep(this.waiting.filter((one) => one !== answer));
  }

  private async rest(): Promise<void> {
    const pause = pauseBefore(this.attempt++);
    await new Promise<void>((done) => {
      const timer = setTimeout(done, pause);
      this.wake = () => {
        clearTimeout(timer);
        done();
      };
    });
    this.wake = null;
  }

  private keep(waiting: Answer[]): void {
    this.waiting = waiting;
    this.stored.write(waiting.length > 0 ? JSON.stringify(waiting) : null);
    this.changed(waiting);
  }
}

function sameQuestion(one: Answer, other: Answer): boolean {
  return one.round === other.round && one.item === other.item;
}

function answersIn(text: string | null): Answer[] {
  try {
    const read: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(read) ? read.filter(isAnswer) : [];
  } catch {
    return [];
  }
}

function isAnswer(value: unknown): value is Answer {
  const one = value as Answer | null;
  return (
    Number.isInteger(one?.round) &&
    typeof one?.item === "string" &&
    Number.isInteger(one.answer) &&
    (one.seconds == null || Number.isFinite(one.seconds))
  );
}
