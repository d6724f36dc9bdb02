// The open page. Links marked `data-inside` change it without a reload.

import { routeOf } from "./route.ts";

class Router {
  now = $state.raw(routeOf(location.pathname, location.search));

  constructor() {
    window.addEventListener("popstate", () => this.read());
    document.addEventListener("click", (event) => this.clicked(event));
  }

  go(to: string): void {
    history.pushState(null, "", to);
    this.read();
    window.scrollTo(0, 0);
    document.getElementById("content")?.focus({ preventScroll: true });
  }

  private read(): void {
    this.now = routeOf(location.pathname, location.search);
  }

  private clicked(event: MouseEvent): void {
    const link = (event.target as Element).closest<HTMLAnchorElement>("a[data-inside]");
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (link === null || !plain) return;
    event.preventDefault();
    this.go(link.pathname + link.search);
  }
}

export const router = new Router();
