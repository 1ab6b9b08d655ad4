// How the sign-in pages look: one short style sheet, and the browser's own colours for light and dark.
import { createHash } from "node:crypto";

/**
 * The browser's own colours have the contrast that WCAG 2.2 asks for (1.4.3 and 1.4.11) in both schemes. Nothing is wider than a
 * window of 320 px (1.4.10), and what is clicked is at least 24 px high (2.5.8).
 */
export const style = `
:root { color-scheme: light dark; }
body { max-width: 24rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.375rem; line-height: 1.25; }
label { display: block; margin: 1rem 0 .25rem; }
input:not([type=checkbox]), button { box-sizing: border-box; width: 100%; padding: .625rem; font: inherit; }
button { margin-top: 1rem; }
.problem, .notice { padding: .75rem; border: 1px solid; }
.problem { border-width: 3px; }
nav a, .providers a { display: block; padding: .25rem 0; }
`;

/** The style's name in a Content-Security-Policy (www.w3.org/TR/CSP3, "source expressions"). */
export const styleSource = `'sha256-${createHash("sha256").update(style).digest("base64")}'`;
