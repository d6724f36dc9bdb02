import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { weigh } from "./tools/weigh.ts";

const SERVER = process.env["HOMEROOM_SERVER"] ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [svelte(), weigh()],
  build: {
    outDir: "../src/homeroom/live/static",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the pages' content security policy allows no data: scripts or styles
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": { target: SERVER, ws: true } } },
  test: { include: ["tests/**/*.test.ts"] },
});
