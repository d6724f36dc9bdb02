// What comes is seen, on a small phone too: the page moves as far as is needed, and no further.

export function intoView(node: Element): void {
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  requestAnimationFrame(() =>
    node.scrollIntoView({ block: "nearest", behavior: still ? "auto" : "smooth" }),
  );
}

/** What has just come takes the focus, as what had it is gone. */
export function takesFocus(node: HTMLElement): void {
  node.focus({ preventScroll: true });
}
