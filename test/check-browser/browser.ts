// A real Chromium, driven as a person would: by its own protocol (chromedevtools.github.io/devtools-protocol), without a library.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const names = ["chromium", "chromium-browser", "google-chrome"];
const patienceMs = 30_000;

/** The name of a Chromium on this machine, or undefined. */
export function installedBrowser(): string | undefined {
  return names.find((name) => spawnSync(name, ["--version"]).status === 0);
}

export type Browser = Awaited<ReturnType<typeof openBrowser>>;

/** The names are those of CDP. */
const keys = {
  Tab: { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 },
  Enter: { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" },
};

type Answer = { result?: { value?: unknown }; exceptionDetails?: object; data?: string };

export async function openBrowser(command: string) {
  const folder = mkdtempSync(join(tmpdir(), "archway-browser-"));
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0"];
  const browser = spawn(command, [...flags, `--user-data-dir=${folder}`, "about:blank"]);
  const socket = new WebSocket(await pageOf(browser.stderr));
  await once(socket, "open");
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    // A failed call has no result: the page has just gone.
    waiting.get(id)?.(result ?? {});
    waiting.delete(id);
  });
  let last = 0;
  const send = (method: string, params: object = {}) => {
    last += 1;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    waiting.set(last, resolve);
    socket.send(JSON.stringify({ id: last, method, params }));
    return promise;
  };
  const evaluate = async (expression: string) =>
    (await send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true })).result?.value;

  /** Asks the page until it says yes. */
  async function until(expression: string): Promise<void> {
    const end = Date.now() + patienceMs;
    while ((await evaluate(expression)) !== true) {
      if (Date.now() > end) throw new Error(`never: ${expression}, at ${await evaluate("location.href")}`);
      await sleep(100);
    }
  }

  return {
    evaluate,
    until,
    goTo: (url: string) => send("Page.navigate", { url }),
    /** Clicks the element with the mouse. */
    async click(selector: string): Promise<void> {
      await until(`document.querySelector(${JSON.stringify(selector)}) !== null`);
      const place = `(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView();
        const { x, y, width, height } = e.getBoundingClientRect(); return { x: x + width / 2, y: y + height / 2 }; })()`;
      const at = (await evaluate(place)) as { x: number; y: number };
      for (const type of ["mousePressed", "mouseReleased"]) {
        await send("Input.dispatchMouseEvent", { type, ...at, button: "left", clickCount: 1 });
      }
    },
    /** Types into the element that has the focus. */
    type: (text: string) => send("Input.insertText", { text }),
    async press(name: keyof typeof keys): Promise<void> {
      for (const type of ["keyDown", "keyUp"]) await send("Input.dispatchKeyEvent", { type, ...keys[name] });
    },
    /** The window's inner size in CSS pixels, and the scheme that the person prefers. */
    async emulate(width: number, height: number, scheme: "light" | "dark"): Promise<void> {
      await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 500 });
      await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    },
    /** The whole page, as PNG. */
    async screenshot(): Promise<Buffer> {
      const { data = "" } = await send("Page.captureScreenshot", { captureBeyondViewport: true });
      return Buffer.from(data, "base64");
    },
    /** Deletes every cookie, as in a new browser. */
    forgetCookies: () => send("Network.clearBrowserCookies"),
    async close(): Promise<void> {
      socket.close();
      browser.kill();
      await once(browser, "exit");
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The address of the first page's protocol, from where the browser says that it listens. */
async function pageOf(stderr: AsyncIterable<Buffer>): Promise<string> {
  let said = "";
  for await (const chunk of stderr) {
    said += chunk;
    const [, host] = /DevTools listening on ws:\/\/([^/]+)\//.exec(said) ?? [];
    if (host === undefined) continue;
    const pages = (await (await fetch(`http://${host}/json/list`)).json()) as {
      type: string;
      webSocketDebuggerUrl: string;
    }[];
    const page = pages.find(({ type }) => type === "page");
    if (page) return page.webSocketDebuggerUrl;
  }
  throw new Error(`the browser ended: ${said}`);
}
