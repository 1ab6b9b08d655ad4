// Without scripts the console says what it needs, and the sign-in pages work all the same.
import { appClient } from "../../../local/demo/app-client.ts";
import { signUp } from "../../../local/demo/workspace.ts";
import type { Stage } from "../stage.ts";
import { signIn } from "../visitor.ts";

export async function scriptsOff(stage: Stage): Promise<void> {
  const person = await signUp(stage.stack, stage.address("nora"));
  const { page } = await stage.visit({ javaScriptEnabled: false });
  await page.goto(`${stage.console}/keys`);
  // Texts are not looked for in there.
  const said = page.locator("noscript");
  await said.waitFor();
  if (!/needs JavaScript/.test(await said.innerText())) throw new Error("the console says nothing without scripts");
  const { client_id } = appClient(stage.stack.program, "console");
  const asked = { response_type: "code", client_id, redirect_uri: `${stage.console}/callback`, scope: "openid" };
  const challenge = { code_challenge_method: "S256", code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" };
  await page.goto(`${stage.stack.at("auth")}/oauth2/authorize?${new URLSearchParams({ ...asked, ...challenge })}`);
  await signIn(page, person);
  await said.waitFor();
}
