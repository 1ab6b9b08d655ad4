// Credentials of roles that functions assume: the model host's, one session for each caller of each tenant, and others'.
import { createHash } from "node:crypto";
import { AssumeRoleCommand, type AssumeRoleCommandInput, STSClient } from "@aws-sdk/client-sts";
import type { AwsCredentialIdentity, AwsCredentialIdentityProvider } from "@smithy/types";
import { Cache } from "../domain/kernel/cache.ts";
import type { SessionIdentity } from "../domain/messages/model-host.ts";
import { agents } from "./connections.ts";

/** Role chaining allows one hour at the most (docs.aws.amazon.com/IAM/latest/UserGuide/id_roles.html, "Role chaining"). */
const sessionSeconds = 3600;
const renewalSeconds = 300;
const maxSessions = 1000;
/** For each of the SDK's three attempts. Without them a silent service would hold a call until the function's time is over. */
const timeouts = { connectionTimeout: 1_000, requestTimeout: 2_000 };

export type SessionCredentials = (identity: SessionIdentity) => Promise<AwsCredentialIdentity>;

const stsClient = () => new STSClient({ requestHandler: { ...timeouts, ...agents(), throwOnRequestTimeout: true } });

/** Credentials of a role without tags. A client of the SDK keeps them until shortly before they end. */
export function roleCredentials(
  roleArn: string,
  sessionName: string,
  client = stsClient(),
): AwsCredentialIdentityProvider {
  return () => assume(client, { RoleArn: roleArn, RoleSessionName: sessionName });
}

/** Sessions are kept until shortly before they end; calls at the same time share one request. */
export function modelHostCredentials(roleArn: string, clock: () => number, client = stsClient()): SessionCredentials {
  const ttlMs = (sessionSeconds - renewalSeconds) * 1000;
  const sessions = new Cache<Promise<AwsCredentialIdentity>>({ size: maxSessions, ttlMs, clock });

  return ({ tenantId, callerId }) => {
    const key = `${tenantId}#${callerId}`;
    const known = sessions.get(key);
    if (known) return known;
    const credentials = assume(client, sessionOf(roleArn, tenantId, callerId));
    sessions.set(key, credentials);
    credentials.catch(() => sessions.delete(key));
    return credentials;
  };
}

/** Tags and session names appear in AWS's bill and logs, so they are an id and a hash, never a name or a text of the caller. */
function sessionOf(roleArn: string, tenantId: string, callerId: string): AssumeRoleCommandInput {
  return {
    RoleArn: roleArn,
    RoleSessionName: createHash("sha256").update(callerId).digest("hex").slice(0, 32),
    Tags: [{ Key: "tenant_id", Value: tenantId }],
  };
}

async function assume(client: STSClient, input: AssumeRoleCommandInput): Promise<AwsCredentialIdentity> {
  const command = new AssumeRoleCommand({ ...input, DurationSeconds: sessionSeconds });
  const { Credentials: session } = await client.send(command);
  if (!session?.AccessKeyId || !session.SecretAccessKey || !session.SessionToken) {
    throw new Error("AssumeRole answered without credentials");
  }
  return {
    accessKeyId: session.AccessKeyId,
    secretAccessKey: session.SecretAccessKey,
    sessionToken: session.SessionToken,
    ...(session.Expiration && { expiration: session.Expiration }),
  };
}
