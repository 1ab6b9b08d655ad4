import { expect, test } from "@jest/globals";
import { browserCommand, hasDisplay, openBrowser } from "../../../../packages/command-line/machine/browser.ts";
import { archway } from "../../../../packages/token-helper/program.ts";

const url = "https://auth.example.com/oauth2/authorize?a=1&b=$(rm)";

test.each([
  ["linux", {}, false],
  ["linux", { DISPLAY: ":0" }, true],
  ["linux", { WAYLAND_DISPLAY: "wayland-0" }, true],
  ["linux", { WSL_DISTRO_NAME: "Debian" }, true],
  ["linux", { BROWSER: "lynx" }, true],
  ["darwin", {}, true],
  ["darwin", { SSH_CONNECTION: "1" }, false],
  ["win32", {}, true],
  ["win32", { SSH_TTY: "/dev/pts/0" }, false],
] as const)("whether a display is found on %s with %j: %j", (platform, env, expected) => {
  expect(hasDisplay({ platform, env })).toBe(expected);
});

test.each([
  ["linux", {}, ["xdg-open", url]],
  ["darwin", {}, ["open", url]],
  ["win32", {}, ["rundll32", "url.dll,FileProtocolHandler", url]],
  ["linux", { WSL_DISTRO_NAME: "Debian" }, ["rundll32.exe", "url.dll,FileProtocolHandler", url]],
  ["linux", { BROWSER: "firefox --new-window:chromium" }, ["firefox", "--new-window", url]],
  ["linux", { BROWSER: "lynx %s -nolog" }, ["lynx", url, "-nolog"]],
] as const)("a browser's address is one argument of the command on %s with %j: %j", (platform, env, command) => {
  expect(browserCommand(url, { platform, env })).toEqual(command);
});

test.each([["false"], ["no-such-browser"]])(
  "a browser that is %s is a failure that names another way to sign in",
  async (command) => {
    await expect(openBrowser(url, { program: archway, platform: "linux", env: { BROWSER: command } })).rejects.toThrow(
      "--no-browser",
    );
  },
);
