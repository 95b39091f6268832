import { defineConfig } from "vite";

// Nothing is inlined: the server's content security policy allows files of its own and nothing else.
export default defineConfig({
  build: {
    outDir: "../dist/studio",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    chunkSizeWarningLimit: 700,
    // "use client" in a library means nothing outside a server that renders React.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  server: { proxy: { "/api": process.env["WRIT_API"] ?? "http://127.0.0.1:7411" } },
});
