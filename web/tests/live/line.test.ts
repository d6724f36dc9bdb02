import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Line } from "../../src/live/line.ts";

class Socket {
  static made: Socket[] = [];
  readyState = 0;
  sent: string[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  constructor() {
    Socket.made.push(this);
  }
  send(text: string) {
    this.sent.push(text);
  }
  close() {
    this.readyState = 3;
  }
  opens() {
    this.readyState = 1;
    this.onopen?.();
  }
  says(message: unknown) {
    this.onmessage?.({ data: typeof message === "string" ? message : JSON.stringify(message) });
  }
  breaks(code = 1006) {
    this.readyState = 3;
    this.onclose?.({ code });
  }
}

const last = () => Socket.made.at(-1) as Socket;
const heard = vi.fn();
const connected = vi.fn();
const doubted = vi.fn();

function line(): Line<string> {
  const made = new Line<string>(
    "ws://x",
    { heard, connected, doubted },
    () => new Socket() as unknown as WebSocket,
  );
  made.connect();
  return made;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  Socket.made = [];
});
afterEach(() => void vi.useRealTimers());

describe("the connection", () => {
  it("passes on the messages of the server, and nothing else", () => {
    line();
    last().opens();
    last().says({ version: 3, view: "hello" });
    last().says("not json");
    last().says({ pong: true });
    expect(heard.mock.calls).toEqual([["hello"]]);
  });

  it("reconnects by itself, with longer pauses while there is no answer", async () => {
    line();
    for (let failed = 0; failed < 8; failed++) {
      last().breaks();
      await vi.advanceTimersByTimeAsync(15_000);
    }
    expect(Socket.made.length).toBe(9);
    last().opens();
    last().says({ version: 1, view: "back" });
    expect(connected).toHaveBeenLastCalledWith(true);
    last().breaks();
    await vi.advanceTimersByTimeAsync(500);
    expect(Socket.made.length).toBe(10);
  });

  it("reconnects when the network is back, even if the old connection looks open", () => {
    const made = line();
    last().opens();
    last().says({ version: 1, view: "before" });
    const old = last();
    made.renew();
    expect(old.readyState).toBe(3);
    expect(Socket.made.length).toBe(2);
    last().opens();
    expect(connected.mock.calls).toEqual([[true], [false], [true]]);
  });

  it("checks the cookie when the server refuses the connection", () => {
    line();
    last().breaks();
    expect(doubted).toHaveBeenCalledTimes(1);
  });

  it("checks the cookie at once when the server closes the connection as unknown", () => {
    line();
    last().opens();
    last().says({ version: 1, view: "x" });
    last().breaks(4401);
    expect(doubted).toHaveBeenCalledTimes(1);
  });

  it("does not check the cookie after a connection that had worked", () => {
    line();
    last().opens();
    last().says({ version: 1, view: "hello" });
    last().breaks();
    expect(doubted).not.toHaveBeenCalled();
    expect(connected).toHaveBeenLastCalledWith(false);
  });

  it("replaces a silent connection", async () => {
    line();
    const first = last();
    first.opens();
    await vi.advanceTimersByTimeAsync(45_000);
    expect(first.sent).toEqual(["ping", "ping"]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(first.readyState).toBe(3);
    expect(Socket.made.length).toBeGreaterThan(1);
  });

  it("tries at once when hurried", () => {
    const made = line();
    last().breaks();
    made.hurry();
    expect(Socket.made.length).toBe(2);
  });

  it("stays closed once it was closed here", async () => {
    const made = line();
    last().opens();
    made.close();
    last().breaks();
    made.hurry();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(Socket.made.length).toBe(1);
  });

  it("ignores the late close of an older connection", () => {
    const made = line();
    const first = last();
    first.breaks();
    made.hurry();
    first.breaks();
    last().opens();
    expect(connected.mock.calls).toEqual([[false], [true]]);
  });
});
