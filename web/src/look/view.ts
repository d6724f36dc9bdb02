// Scrolls new content into view, no further than needed.

export function intoView(node: Element): void {
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  requestAnimationFrame(() =>
    node.scrollIntoView({ block: "nearest", behavior: still ? "auto" : "smooth" }),
  );
}

/** Focuses new content after the focused element has gone. */
export function takesFocus(node: HTMLElement): void {
  node.focus({ preventScroll: true });
}
