import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Answer } from "../../src/api/schema.ts";
import { Outbox, type Outcome, type StoredText } from "../../src/live/outbox.ts";

const one: Answer = { round: 1, item: "a", answer: 1 };
const two: Answer = { round: 2, item: "b", answer: -1 };

function stored(text: string | null = null): StoredText & { text: string | null } {
  return {
    text,
    read() {
      return this.text;
    },
    write(now) {
      this.text = now;
    },
  };
}

/** A server that gives these outcomes in turn, then takes everything. */
function server(...outcomes: Outcome[]) {
  const arrived: Answer[] = [];
  const send = async (answer: Answer): Promise<Outcome> => {
    arrived.push(answer);
    return outcomes.shift() ?? "taken";
  };
  return { arrived, send };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the outbox", () => {
  it("forgets an answer only when it was acknowledged", async () => {
    const kept = stored();
    const { arrived, send } = server("later", "later");
    const outbox = new Outbox(kept, send);
    outbox.add(one);
    await vi.advanceTimersByTimeAsync(0);
    expect(JSON.parse(kept.text ?? "")).toEqual([one]);
    await vi.runAllTimersAsync();
    expect(arrived).toEqual([one, one, one]);
    expect(kept.text).toBeNull();
  });

  it("waits longer after every failure", async () => {
    const { arrived, send } = server(...Array<Outcome>(20).fill("later"));
    new Outbox(stored(), send).add(one);
    await vi.advanceTimersByTimeAsync(1000);
    const early = arrived.length;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(early).toBeGreaterThanOrEqual(2);
    expect(arrived.length).toBeLessThan(early + 7);
  });

  it("sends at once when the connection is back", async () => {
    const { arrived, send } = server(...Array<Outcome>(6).fill("later"));
    const outbox = new Outbox(stored(), send);
    outbox.add(one);
    await vi.advanceTimersByTimeAsync(9000);
    const before = arrived.length;
    void outbox.flush();
    await vi.advanceTimersByTimeAsync(0);
    expect(arrived.length).toBe(before + 1);
  });

  it("drops an answer that the server refuses, and continues with the next", async () => {
    const { arrived, send } = server("refused");
    const outbox = new Outbox(stored(), send);
    outbox.add(one);
    outbox.add(two);
    await vi.runAllTimersAsync();
    expect(arrived).toEqual([one, two]);
    expect(outbox.pending).toEqual([]);
  });

  it("finds answers after a reload that were not acknowledged", async () => {
    const { arrived, send } = server();
    const outbox = new Outbox(stored(JSON.stringify([one, two])), send);
    expect(outbox.pending).toEqual([one, two]);
    await outbox.flush();
    expect(arrived).toEqual([one, two]);
  });

  it("keeps one answer to a question: the newest", async () => {
    const { send } = server("later");
    const outbox = new Outbox(stored(), send);
    outbox.add(one);
    outbox.add({ ...one, answer: -1 });
    expect(outbox.pending).toEqual([{ ...one, answer: -1 }]);
  });

  it("never sends two at the same time", async () => {
    let busy = 0;
    let most = 0;
    const outbox = new Outbox(stored(), async () => {
      most = Math.max(most, ++busy);
      await new Promise((done) => setTimeout(done, 10));
      busy -= 1;
      return "taken";
    });
    outbox.add(one);
    outbox.add(two);
    void outbox.flush();
    await vi.runAllTimersAsync();
    expect(most).toBe(1);
  });

  it.each([
    "{",
    "7",
    '["x", null, {"round": "1"}]',
    '[{"round": 1.5, "item": "a", "answer": 1}]',
    '[{"round": 1, "item": "a", "answer": 1.5}]',
  ])("reads nothing from a stored text such as %s", (text) => {
    expect(new Outbox(stored(text), server().send).pending).toEqual([]);
  });

  it("reports how many are waiting", async () => {
    const counts: number[] = [];
    const outbox = new Outbox(stored(), server().send, (waiting) => counts.push(waiting.length));
    outbox.add(one);
    await vi.runAllTimersAsync();
    expect(counts).toEqual([1, 0]);
  });
});
