// How the sign-in pages look: one style sheet without images, for light and dark, for a phone and for a screen.
import { createHash } from "node:crypto";

/**
 * Text has at least the contrast 4.5 : 1 to what is behind it, borders of fields 3 : 1, in both schemes (WCAG 2.2, 1.4.3
 * and 1.4.11). Nothing is wider than a window of 320 px (1.4.10), and what is clicked is at least 24 px high (2.5.8).
 */
export const style = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f3f4f6, #0b1120);
  --card: light-dark(#fff, #151e31);
  --line: light-dark(#d1d5db, #334155);
  --edge: light-dark(#6b7280, #8391a7);
  --text: light-dark(#111827, #f1f5f9);
  --quiet: light-dark(#4b5563, #b3bfd1);
  --link: light-dark(#1d4ed8, #93b4ff);
  --button: light-dark(#1d4ed8, #2f5fe0);
  --pressed: light-dark(#1e40af, #274fbd);
  --good: light-dark(#eff6ff, #16264a);
  --bad: light-dark(#fef2f2, #3b1518);
  --wrong: light-dark(#b91c1c, #fca5a5);
}
* { box-sizing: border-box; }
body { margin: 0; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); overflow-wrap: anywhere; }
main { max-width: 24rem; margin: max(0rem, 12vh - 2rem) auto 0; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.25; }
label { display: block; margin: 1rem 0 .25rem; font-weight: 500; }
input:not([type=checkbox]) { width: 100%; padding: .625rem .75rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: .5rem; }
input[aria-invalid=true] { border-color: var(--wrong); }
input[inputmode=numeric] { letter-spacing: .15em; }
label:has([type=checkbox]) { display: flex; gap: .625rem; align-items: baseline; font-weight: 400; }
input[type=checkbox] { flex: none; width: 1.125rem; height: 1.125rem; translate: 0 .15rem; accent-color: var(--button); }
button, .providers a { display: block; width: 100%; padding: .6875rem 1rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; border: 1px solid var(--edge); border-radius: .5rem; cursor: pointer; }
button { margin-top: 1.5rem; color: #fff; background: var(--button); border-color: var(--button); }
button:hover { background: var(--pressed); }
button[name=again] { margin-top: .625rem; color: var(--text); background: none; border-color: var(--edge); }
button[name=again]:hover { background: var(--page); }
.providers { display: grid; gap: .625rem; margin-top: 1.25rem; }
.providers a { color: var(--text); }
.providers a:hover { background: var(--page); }
.providers p { margin: 0; text-align: center; color: var(--quiet); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.problem, .notice { margin: 0 0 1rem; padding: .75rem; border: 1px solid var(--wrong); border-radius: .5rem; background: var(--bad); }
.notice { border-color: var(--link); background: var(--good); }
.hint { margin: .375rem 0 0; font-size: .875rem; color: var(--quiet); }
nav { margin-top: 1.25rem; }
nav a { display: block; padding: .25rem 0; color: var(--link); }
footer { max-width: 24rem; margin: 1rem auto; font-size: .875rem; text-align: center; color: var(--quiet); }
@media (max-width: 30rem) { main { margin-top: 0; padding: 1.25rem; } }
`;

/** What a Content-Security-Policy calls the style (www.w3.org/TR/CSP3, "source expressions"). */
export const styleSource = `'sha256-${createHash("sha256").update(style).digest("base64")}'`;
