// One short style sheet gives the sign-in pages their look. The browser draws fields and buttons in its own colours, for light and dark.
import { createHash } from "node:crypto";

/**
 * Text and links have the contrast that WCAG 2.2 asks for (1.4.3) in both schemes. Nothing is wider than a
 * window of 320 px (1.4.10), and what is clicked is at least 24 px high (2.5.8).
 */
export const style = `
:root { color-scheme: light dark; color: light-dark(#111, #eee); background: light-dark(#fff, #111); }
body { max-width: 24rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.375rem; line-height: 1.25; }
label { display: block; margin: 1rem 0 .25rem; }
input:not([type=checkbox]), button { box-sizing: border-box; width: 100%; padding: .625rem; font: inherit; }
button { margin-top: 1rem; }
a { color: light-dark(#1d4ed8, #93b4ff); }
.problem, .notice { padding: .75rem; border: 1px solid; }
.problem { border-width: 3px; }
nav a, .providers a { display: block; padding: .25rem 0; }
`;

/** The style's name in a Content-Security-Policy (www.w3.org/TR/CSP3, "source expressions"). */
export const styleSource = `'sha256-${createHash("sha256").update(style).digest("base64")}'`;
