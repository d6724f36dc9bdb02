import { expect, it } from "vitest";
import { qrPath } from "../../src/charts/qr.ts";

it("draws every run of dark squares once", () => {
  expect(qrPath(["0110", "1001"])).toBe("M1 0h2v1H1zM0 1h1v1H0zM3 1h1v1H3z");
  expect(qrPath([])).toBe("");
});
