// One's own account: who is signed in, and the second factor. A token that may change the account is asked for only now.

import { type FormEvent, useState } from "react";
import { renderSVG } from "uqr";
import { Link } from "wouter";
import { call } from "../../app/call.ts";
import { useVisitor } from "../../app/page.ts";
import { platform } from "../../app/platform.ts";
import { useChange } from "../../app/query.ts";
import { claims, ownAccountScope, signIn, signOut, token } from "../../app/session.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { OtherAccounts } from "../../parts/other-accounts.tsx";
import { PageHead } from "../../parts/page-head.tsx";

export default function Account() {
  const { me } = useVisitor();
  return (
    <>
      <PageHead title="Account" />
      <p>You sign in as {me.email ?? me.user_id}.</p>
      <OtherAccounts />
      <SignOutEverywhere />
      <h2>Authenticator app</h2>
      <p>With it a sign-in by password asks for a code of your phone, too.</p>
      {claims()?.scope?.split(" ").includes(ownAccountScope) ? (
        <SetUp />
      ) : (
        <button
          type="button"
          onClick={() =>
            signIn("/account", {
              scope: `${platform().clients.console.scopes.join(" ")} ${ownAccountScope}`,
              prompt: "login",
            })
          }
        >
          Set up: sign in again first
        </button>
      )}
    </>
  );
}

/** Signing out everywhere: for people whose device was lost, or whose password others know. */
function SignOutEverywhere() {
  const [isOpen, setOpen] = useState(false);
  const end = useChange(
    () => call("POST /v1/me/sign-out-everywhere"),
    () => signOut(),
  );
  return (
    <>
      <h2>Sign-ins</h2>
      <p>
        If a device of yours is lost, or somebody else knows your password, end all your sign-ins. API keys go on: look
        at <Link href="/keys">your keys</Link>, too.
      </p>
      <button type="button" onClick={() => setOpen(true)}>
        Sign out everywhere
      </button>
      {isOpen && (
        <Confirm
          title="Sign out everywhere"
          action="Sign out everywhere"
          isPending={end.isPending}
          error={end.error}
          onClose={() => setOpen(false)}
          onConfirm={() => end.mutate(undefined)}
        >
          <p>
            Consoles, assistants and terminals in which you are signed in are refused within 60 seconds, this one at
            once. A browser that was signed in may stay so at the sign-in page for up to an hour.
          </p>
        </Confirm>
      )}
    </>
  );
}

/** The user pool's own API. @throws Error with its reason for people */
async function askPool<T>(operation: string, input: object): Promise<T> {
  const response = await fetch(platform().user_pool_url, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": `AWSCognitoIdentityProviderService.${operation}`,
    },
    body: JSON.stringify({ AccessToken: await token(), ...input }),
  });
  const answer = (await response.json().catch(() => ({}))) as { message?: string };
  if (!response.ok) throw new Error(answer.message ?? `The user pool answered ${response.status}.`);
  return answer as T;
}

function SetUp() {
  const { me } = useVisitor();
  const [secret, setSecret] = useState<string>();
  const [state, setState] = useState<"on" | "working">();
  const [problem, setProblem] = useState<string>();
  const act = (work: () => Promise<void>) => {
    setState("working");
    setProblem(undefined);
    work().catch((error: Error) => {
      setState(undefined);
      setProblem(error.message);
    });
  };
  const begin = () =>
    act(async () => {
      const { SecretCode } = await askPool<{ SecretCode: string }>("AssociateSoftwareToken", {});
      setSecret(SecretCode);
      setState(undefined);
    });
  const verify = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const UserCode = String(new FormData(event.currentTarget).get("code"));
    act(async () => {
      await askPool("VerifySoftwareToken", { UserCode });
      await askPool("SetUserMFAPreference", { SoftwareTokenMfaSettings: { Enabled: true, PreferredMfa: true } });
      setSecret(undefined);
      setState("on");
    });
  };
  const { brand } = platform();
  const uri = `otpauth://totp/${encodeURIComponent(me.email ?? me.user_id)}?secret=${secret}&issuer=${encodeURIComponent(brand)}`;
  if (state === "on")
    return <p role="status">The app is set up. From now on a sign-in by password asks for its code.</p>;
  return (
    <>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {secret === undefined ? (
        <button type="button" className="main" disabled={state === "working"} onClick={begin}>
          Show the secret
        </button>
      ) : (
        <form onSubmit={verify}>
          <img
            alt="The secret as a QR code; the text below says the same"
            width="200"
            height="200"
            src={`data:image/svg+xml,${encodeURIComponent(renderSVG(uri))}`}
          />
          <p>
            Or type it into the app: <code className="secret">{secret}</code>
          </p>
          <Field
            label="The app's code"
            name="code"
            inputMode="numeric"
            pattern="[0-9]{6}"
            required
            autoComplete="one-time-code"
          />
          <button type="submit" className="main" disabled={state === "working"}>
            Verify
          </button>
        </form>
      )}
    </>
  );
}
