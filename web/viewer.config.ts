// The page that shows maps, lessons, letters and reports: one script and one style, which Python
// puts into a file together with the data.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [svelte()],
  publicDir: false,
  build: {
    outDir: "../src/homeroom/live/static/viewer",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: "src/viewer/main.ts",
      output: { entryFileNames: "viewer.js", assetFileNames: "viewer[extname]" },
    },
  },
});
