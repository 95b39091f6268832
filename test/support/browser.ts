import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A real browser that talks to nobody but the server under test. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"] ?? places.find((place) => existsSync(place));
  if (executablePath === undefined) throw new Error("there is no Chromium here: sudo apt-get install chromium");
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox", // tests may run as root
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
}

/** What went wrong in a page, as the browser saw it: script errors, refused content, requests to anybody else. */
export function watch(page: Page, origin: string): readonly string[] {
  const wrong: string[] = [];
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") wrong.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin)) wrong.push(`went elsewhere: ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return wrong;
}
