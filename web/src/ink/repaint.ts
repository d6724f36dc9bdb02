// Calls `paint` when a canvas gets another size or the screen turns light or dark.

export function onChange(canvas: HTMLCanvasElement, paint: () => void): () => void {
  const seen = new ResizeObserver(paint);
  seen.observe(canvas);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", paint);
  return () => {
    seen.disconnect();
    dark.removeEventListener("change", paint);
  };
}
