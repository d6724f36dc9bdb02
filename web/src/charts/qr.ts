// A QR code as one path: rows of dark (1) and light (0) squares.

/** Runs of dark squares as rectangles, one unit high. */
export function qrPath(rows: readonly string[]): string {
  return rows
    .flatMap((row, y) =>
      [...row.matchAll(/1+/g)].map((run) => `M${run.index} ${y}h${run[0].length}v1H${run.index}z`),
    )
    .join("");
}
