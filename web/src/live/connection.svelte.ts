// The current view of a page, kept up to date over a WebSocket.

import { get, Refused } from "../api/calls.ts";
import { Line, liveUrl } from "./line.ts";

const CALM = 1500; // milliseconds without a connection before the page reports it

export class Connection<T extends { version: number }> {
  view = $state.raw<T | null>(null);
  /** When the view came, in milliseconds of Date.now. */
  at = $state(0);
  /** The connection has been gone for longer than CALM. */
  away = $state(false);
  /** The server does not know us. */
  stranger = $state(false);
  /** The server knows us, but the teacher has removed us from the class. */
  removed = $state(false);
  private readonly path: string;
  private readonly line: Line<T>;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly returned: () => void;

  /** `path` returns the view once; `query` selects the view for the WebSocket. */
  constructor(path: string, query = "", returned: () => void = () => {}) {
    this.path = path;
    this.returned = returned;
    this.line = new Line<T>(liveUrl(query), {
      heard: (view) => this.take(view),
      connected: (yes) => this.connected(yes),
      doubted: () => void this.refresh(),
    });
  }

  /** Start listening; call the result to stop. */
  listen(): () => void {
    void this.refresh().then(() => this.line.connect());
    const hurry = () => {
      if (document.visibilityState !== "visible") return;
      this.line.hurry();
      if (!this.stranger) void this.refresh(); // a suspended connection may look open and have missed messages
    };
    const gone = () => this.connected(false); // the WebSocket notices much later
    const back = () => this.line.renew();
    window.addEventListener("offline", gone);
    window.addEventListener("online", back);
    document.addEventListener("visibilitychange", hurry);
    return () => {
      window.removeEventListener("offline", gone);
      window.removeEventListener("online", back);
      document.removeEventListener("visibilitychange", hurry);
      clearTimeout(this.timer);
      this.line.close();
    };
  }

  /** Load the view. */
  async refresh(): Promise<void> {
    try {
      this.take(await get<T>(this.path));
    } catch (error) {
      if (error instanceof Refused && [401, 403, 404, 410, 422].includes(error.status))
        this.forgotten(error.code === "removed");
      else if (this.view === null) this.connected(false);
    }
  }

  /** Show a view: from the WebSocket, or the answer to an action on this page. */
  take(view: T): void {
    if (this.view !== null && view.version < this.view.version) return;
    this.stranger = false;
    this.at = Date.now();
    this.view = view;
  }

  private forgotten(removed: boolean): void {
    this.stranger = true;
    this.removed = removed;
    this.away = false;
    this.line.close();
  }

  private connected(yes: boolean): void {
    clearTimeout(this.timer);
    if (yes) {
      this.away = false;
      this.returned();
    } else {
      this.timer = setTimeout(() => (this.away = !this.stranger), CALM);
    }
  }
}
