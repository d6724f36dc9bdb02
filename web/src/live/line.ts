// A WebSocket that reconnects by itself.

import { pauseBefore } from "./backoff.ts";

export interface Message<T> {
  version: number;
  view: T;
}

export interface Listener<T> {
  heard(view: T): void;
  /** The connection is open (true) or closed (false). */
  connected(yes: boolean): void;
  /** The server refused the connection: perhaps the cookie is not valid (any more). */
  doubted(): void;
}

export type Open = (url: string) => WebSocket;

const PING = 20_000; // milliseconds
const SILENCE = 50_000; // milliseconds without a message after which the connection counts as dead
const UNKNOWN = 4401; // the server closed the connection, because the cookie is not valid any more

export class Line<T> {
  private socket: WebSocket | null = null;
  private attempt = 0;
  private closed = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pinging: ReturnType<typeof setInterval> | undefined;
  private lastWord = 0;
  private welcome = false;
  private readonly url: string;
  private readonly listener: Listener<T>;
  private readonly open: Open;

  constructor(url: string, listener: Listener<T>, open: Open = (to) => new WebSocket(to)) {
    this.url = url;
    this.listener = listener;
    this.open = open;
  }

  connect(): void {
    clearTimeout(this.timer);
    if (this.closed || this.socket !== null) return;
    this.welcome = false;
    const socket = this.open(this.url);
    this.socket = socket;
    socket.onopen = () => this.opened();
    socket.onmessage = (event) => this.heard(String(event.data));
    socket.onclose = (event) => this.ended(socket, event.code);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    clearInterval(this.pinging);
    this.socket?.close();
    this.socket = null;
  }

  /** Connect at once: the page is visible again, or the network is back. */
  hurry(): void {
    this.attempt = 0;
    if (this.silent()) this.drop();
    this.connect();
  }

  /** Reconnect: after a network failure, an old connection may look open and be dead. */
  renew(): void {
    this.attempt = 0;
    this.drop();
    this.connect();
  }

  private opened(): void {
    this.attempt = 0;
    this.lastWord = Date.now();
    this.pinging = setInterval(() => this.ping(), PING);
    this.listener.connected(true);
  }

  private ping(): void {
    if (this.silent()) this.drop();
    else if (this.socket?.readyState === 1) this.socket.send("ping");
  }

  private silent(): boolean {
    return this.socket?.readyState === 1 && Date.now() - this.lastWord > SILENCE;
  }

  private drop(): void {
    const socket = this.socket;
    if (socket === null) return;
    socket.close();
    this.ended(socket);
  }

  private heard(text: string): void {
    this.lastWord = Date.now();
    const message = read<T>(text);
    if (message === null) return;
    this.welcome = true;
    this.listener.heard(message.view);
  }

  private ended(socket: WebSocket, code = 0): void {
    if (socket !== this.socket) return;
    this.socket = null;
    clearInterval(this.pinging);
    if (this.closed) return;
    this.listener.connected(false);
    if (!this.welcome || code === UNKNOWN) this.listener.doubted();
    this.timer = setTimeout(() => this.connect(), pauseBefore(this.attempt++));
  }
}

function read<T>(text: string): Message<T> | null {
  try {
    const message: unknown = JSON.parse(text);
    const ok = typeof message === "object" && message !== null && "view" in message;
    return ok ? (message as Message<T>) : null;
  } catch {
    return null;
  }
}

export function liveUrl(query = ""): string {
  const secure = location.protocol === "https:" ? "wss" : "ws";
  return `${secure}://${location.host}/api/live${query}`;
}
