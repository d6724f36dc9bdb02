// Prints the compressed size of the pages, and fails above the limit.
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const LIMIT = 150_000;

export function weigh(): Plugin {
  return {
    name: "weigh",
    apply: "build",
    writeBundle(_options, bundle) {
      let total = 0;
      for (const part of Object.values(bundle)) {
        const text = part.type === "chunk" ? part.code : part.source;
        total += gzipSync(text, { level: 9 }).length;
      }
      const summary = `all pages together: ${(total / 1000).toFixed(1)} kB gzipped`;
      if (total > LIMIT) this.error(`${summary}, which is over the limit of ${LIMIT / 1000} kB.`);
      console.log(summary);
    },
  };
}
