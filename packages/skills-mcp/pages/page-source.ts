// The page itself. It holds nothing of a skill or a secret: its script asks for what it shows, and puts it in as text.

export const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Archway skills</title>
<link rel="stylesheet" href="/page.css">
<script src="/page.js" defer></script>
</head>
<body>
<main><h1>Archway skills</h1><p id="says" role="status">One moment.</p><div id="shows"></div></main>
</body>
</html>
`;

export const style = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; }
dt { font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
pre { border: 1px solid GrayText; overflow-x: auto; padding: 0.5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.added { background: light-dark(#dafbe1, #12331d); }
.removed { background: light-dark(#ffebe9, #3d1a1c); }
.warning { border-left: 0.25rem solid light-dark(#9a6700, #d4a72c); padding-left: 0.75rem; }
label { display: block; font-weight: 600; }
input, textarea, button { font: inherit; padding: 0.5rem; }
textarea { box-sizing: border-box; width: 100%; min-height: 6rem; -webkit-text-security: disc; }
button { margin: 1rem 0; }
`;

export const script = `
"use strict";
const says = document.getElementById("says");
const shows = document.getElementById("shows");
const token = location.hash.slice(1);
history.replaceState(null, "", "/");
const held = sessionStorage.getItem("key");

async function post(path, body) {
  const response = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function facts(rows) {
  const list = element("dl");
  for (const [name, value] of rows) if (value !== undefined && value !== "") list.append(element("dt", name), element("dd", String(value)));
  return list;
}

function button(text, key, body) {
  const made = element("button", text);
  made.type = "button";
  made.addEventListener("click", async () => {
    made.disabled = true;
    try {
      says.textContent = (await post("/answer", { key, ...body() })).says;
      sessionStorage.removeItem("key");
      shows.replaceChildren();
    } catch (error) {
      says.textContent = error.message;
      made.disabled = false;
    }
  });
  return made;
}

function fileOf(file) {
  const part = element("details");
  part.open = file.state !== "unchanged" && file.state !== "removed";
  part.append(element("summary", file.path + " (" + file.state + ", " + file.size + " bytes)"));
  if (file.difference) {
    part.append(element("h3", "Difference to the active version"));
    const text = element("pre");
    for (const { sign, line } of file.difference) text.append(element("span", sign + " " + line + "\\n", sign === "+" ? "added" : sign === "-" ? "removed" : ""));
    part.append(text, element("h3", "Whole"));
  }
  if (file.lines) part.append(element("pre", file.lines.join("\\n")));
  else if (file.state !== "removed") part.append(element("p", "This file is no text, and cannot be shown.", "warning"));
  return part;
}

function review(shown, key) {
  says.textContent = "Review version " + shown.version + " of " + shown.name + ", and activate it if every member of " + shown.workspace + " may use it.";
  const run = shown.run;
  shows.append(facts([
    ["Workspace", shown.workspace], ["Skill", shown.name], ["Version", shown.version], ["Active now", shown.active_version ?? "none"],
    ["Digest", shown.digest], ["By", shown.author], ["Change", shown.change], ["Description", shown.description],
    ["Kind", shown.kind], ["Runs", run && run.path], ["Network", run && run.network], ["Time", run && run.timeout_seconds + " seconds"],
  ]));
  shows.append(element("h2", "Env vars"));
  if (shown.env.length === 0) shows.append(element("p", "None."));
  else shows.append(facts(shown.env.flatMap(({ name, state, now, active }) => [
    [name + (state === "unchanged" ? "" : " (" + state + ")"), now ?? "goes"],
    ["", active && "the active version has " + active],
  ])));
  if (shown.warnings.length > 0) shows.append(element("h2", "Look at these"));
  for (const { path, line, message } of shown.warnings) shows.append(element("p", [path, line && "line " + line, message].filter(Boolean).join(": "), "warning"));
  shows.append(element("h2", "Files"));
  for (const file of shown.files) shows.append(fileOf(file));
  shows.append(button("Activate version " + shown.version, key, () => ({ digest: shown.digest, env_digest: shown.env_digest })));
}

function secret(shown, key) {
  says.textContent = "Type the value of the secret " + shown.name + ". It goes to the platform, and no assistant sees it.";
  const label = element("label", "Value");
  const value = element("textarea");
  value.id = "value";
  value.autocomplete = "off";
  value.spellcheck = false;
  label.htmlFor = "value";
  shows.append(facts([
    ["Workspace", shown.workspace], ["Secret", shown.name], ["Description", shown.description],
    ["Replaces", shown.replaces ? "the value that is there" : undefined], ["Used by", shown.usedBy.join(", ")],
  ]), label, value, button("Store it", key, () => ({ value: value.value })));
  value.focus();
}

async function start() {
  try {
    const { key, shows: shown } = await post("/open", token ? { token } : { key: held });
    sessionStorage.setItem("key", key);
    (shown.page === "review" ? review : secret)(shown, key);
  } catch (error) {
    says.textContent = error.message;
  }
}
start();
`;
