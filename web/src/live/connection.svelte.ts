// What a page knows of its class at this moment, kept fresh by the line down from the server.

import { get, Refused } from "../api/calls.ts";
import { Line, liveUrl } from "./line.ts";

const CALM = 1500; // milliseconds without a line before the page speaks of it

export class Connection<T extends { version: number }> {
  view = $state.raw<T | null>(null);
  /** The line has been gone long enough to say so. */
  away = $state(false);
  /** The server does not know us. */
  stranger = $state(false);
  /** The server knows us, but the teacher has removed us from the class. */
  removed = $state(false);
  private readonly path: string;
  private readonly line: Line<T>;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly returned: () => void;

  /** `path` gives the view once; `query` says to the line whose view is wanted. */
  constructor(path: string, query = "", returned: () => void = () => {}) {
    this.path = path;
    this.returned = returned;
    this.line = new Line<T>(liveUrl(query), {
      heard: (view) => this.take(view),
      connected: (yes) => this.connected(yes),
      doubted: () => void this.refresh(),
    });
  }

  /** Begin to listen; the answer ends it. */
  listen(): () => void {
    void this.refresh().then(() => this.line.connect());
    const hurry = () => {
      if (document.visibilityState !== "visible") return;
      this.line.hurry();
      if (!this.stranger) void this.refresh(); // a line that slept may look open, and has missed what was said
    };
    const gone = () => this.connected(false); // the line itself notices much later
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

  /** Ask for the view, as after something that was done here. */
  async refresh(): Promise<void> {
    try {
      this.take(await get<T>(this.path));
    } catch (error) {
      if (error instanceof Refused && [401, 403, 404, 410, 422].includes(error.status))
        this.forgotten(error.code === "removed");
      else if (this.view === null) this.connected(false);
    }
  }

  private take(view: T): void {
    if (this.view !== null && view.version < this.view.version) return;
    this.stranger = false;
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
