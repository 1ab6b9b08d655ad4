// The user pool's accounts, as an administrator of the pool: made for an invitation, invited again, signed out, removed.
import {
  AdminCreateUserCommand,
  AdminDeleteUserCommand,
  AdminGetUserCommand,
  AdminUserGlobalSignOutCommand,
  type AttributeType,
  CognitoIdentityProviderClient,
  ListUsersCommand,
  type UserStatusType,
} from "@aws-sdk/client-cognito-identity-provider";
import { sameAddress } from "../../domain/kernel/mail.ts";
import { fieldRefusal, Refusal } from "../../domain/kernel/refusal.ts";
import type {
  AccountList,
  AccountRemoval,
  AccountState,
  Accounts,
  Invited,
  InvitedAccounts,
  SignIns,
  UnconfirmedAccounts,
} from "../../domain/people/accounts.ts";
import { agents } from "../connections.ts";

/** Timeouts of each of the SDK's three attempts. */
const timeouts = { connectionTimeout: 1_000, requestTimeout: 3_000 };

type CognitoAccounts = Accounts & AccountRemoval & AccountList & InvitedAccounts & UnconfirmedAccounts & SignIns;

export function cognitoAccounts(userPoolId: string, client = cognitoClient()): CognitoAccounts {
  /** The account of a username, which may be an address or a sub. `holds` says whether it has proved the address. */
  async function existing(username: string) {
    const command = new AdminGetUserCommand({ UserPoolId: userPoolId, Username: username });
    const found = await unless("UserNotFoundException", client.send(command));
    if (!found) return undefined;
    const { UserStatus: status, UserAttributes } = found;
    return {
      sub: subOf(UserAttributes),
      state: stateOf(status, UserAttributes),
      isUnconfirmed: status === "UNCONFIRMED",
      holds: (email: string) =>
        attribute(UserAttributes, "email_verified") === "true" &&
        sameAddress(attribute(UserAttributes, "email"), email),
    };
  }

  /** The oldest account of an external provider that vouches for the address. Its username is not the address. */
  async function federated(email: string) {
    const Filter = `email = "${email.replace(/["\\]/g, "\\$&")}"`;
    const { Users = [] } = await refusing(client.send(new ListUsersCommand({ UserPoolId: userPoolId, Filter })));
    const vouched = Users.filter(
      ({ UserStatus, Attributes }) =>
        UserStatus === "EXTERNAL_PROVIDER" &&
        attribute(Attributes, "email_verified") === "true" &&
        sameAddress(attribute(Attributes, "email"), email),
    );
    const [first] = vouched.sort((a, b) => Number(a.UserCreateDate) - Number(b.UserCreateDate));
    return first && { sub: subOf(first.Attributes), state: "active" as const };
  }

  /**
   * Does something to the account of the sub, which is a username of the pool's own accounts, and not of those of external providers
   * (API reference, AdminDeleteUser). False if there is none.
   */
  async function bySub(sub: string, act: (username: string) => Promise<boolean>): Promise<boolean> {
    if (await act(sub)) return true;
    const found = new ListUsersCommand({ UserPoolId: userPoolId, Filter: `sub = "${sub}"` });
    const { Users = [] } = await refusing(client.send(found));
    const [username] = Users.flatMap(({ Username, Attributes }) => (subOf(Attributes) === sub ? [Username] : []));
    return username !== undefined && act(username);
  }

  async function page({ after, status }: { after: string | undefined; status?: UserStatusType }) {
    const command = new ListUsersCommand({
      UserPoolId: userPoolId,
      AttributesToGet: ["sub"],
      ...(status && { Filter: `cognito:user_status = "${status}"` }),
      ...(after !== undefined && { PaginationToken: after }),
    });
    const { Users = [], PaginationToken } = await refusing(client.send(command));
    return { users: Users, next: PaginationToken };
  }

  async function removeUser(Username: string): Promise<boolean> {
    const command = new AdminDeleteUserCommand({ UserPoolId: userPoolId, Username });
    return (await refusing(unless("UserNotFoundException", client.send(command)))) !== undefined;
  }

  const remove = (sub: string) => bySub(sub, removeUser);

  async function endSignInsOf(Username: string): Promise<boolean> {
    const command = new AdminUserGlobalSignOutCommand({ UserPoolId: userPoolId, Username });
    return (await refusing(unless("UserNotFoundException", client.send(command)))) !== undefined;
  }

  return {
    async invite(email, into) {
      const known = await refusing(existing(email));
      // Somebody may have signed up with the invited person's address, and knows that account's password: it is removed, so that it does
      // not get the invitation.
      if (known?.isUnconfirmed) await remove(known.sub);
      else if (known) return proven(known, email);
      const elsewhere = await federated(email);
      if (elsewhere) return elsewhere;
      const command = new AdminCreateUserCommand({
        UserPoolId: userPoolId,
        Username: email,
        // A person who signs in with the mailed password has read the mail, so the address is verified.
        UserAttributes: [
          { Name: "email", Value: email },
          { Name: "email_verified", Value: "true" },
        ],
        ClientMetadata: metadataOf(into),
        DesiredDeliveryMediums: ["EMAIL"],
      });
      const made = await refusing(unless("UsernameExistsException", client.send(command)));
      if (made) return { sub: subOf(made.User?.Attributes), state: "created" };
      // Another call made the account in the meantime.
      const others = await refusing(existing(email));
      if (others) return proven(others, email);
      throw new Refusal("identity_unavailable", "The account is being changed by others, try again");
    },

    async resend(email, into) {
      const known = await refusing(existing(email));
      if (known?.state !== "invited") return false;
      const command = new AdminCreateUserCommand({
        UserPoolId: userPoolId,
        Username: email,
        MessageAction: "RESEND",
        ClientMetadata: metadataOf(into),
        DesiredDeliveryMediums: ["EMAIL"],
      });
      const gone = ["UserNotFoundException", "UnsupportedUserStateException"];
      return (await refusing(unless(gone, client.send(command)))) !== undefined;
    },

    async list(after) {
      const { users, next } = await page({ after });
      return { subs: users.map(({ Attributes }) => subOf(Attributes)), next };
    },

    async listInvited(after) {
      const { users, next } = await page({ after, status: "FORCE_CHANGE_PASSWORD" });
      const accounts = users.map(({ Attributes, UserLastModifiedDate }) => ({
        sub: subOf(Attributes),
        changedAt: UserLastModifiedDate?.getTime() ?? Date.now(),
      }));
      return { accounts, next };
    },

    async removeInvited(sub) {
      const known = await refusing(existing(sub));
      return known?.state === "invited" && remove(sub);
    },

    async listUnconfirmed(after) {
      const { users, next } = await page({ after, status: "UNCONFIRMED" });
      const accounts = users.map(({ Attributes, UserCreateDate }) => ({
        sub: subOf(Attributes),
        createdAt: UserCreateDate?.getTime() ?? Date.now(),
      }));
      return { accounts, next };
    },

    async removeUnconfirmed(sub) {
      const known = await refusing(existing(sub));
      return known?.isUnconfirmed === true && remove(sub);
    },

    async endSignIns(sub) {
      await bySub(sub, endSignInsOf);
    },

    remove,
  };
}

function cognitoClient(): CognitoIdentityProviderClient {
  return new CognitoIdentityProviderClient({
    requestHandler: { ...timeouts, ...agents(), throwOnRequestTimeout: true },
  });
}

/** Data for the trigger that words the pool's mails (handlers/triggers/custom-message.ts). Cognito passes it on and does not keep it. */
function metadataOf({ workspace: { name, slug }, inviter }: Invited): Record<string, string> {
  return { workspace_name: name, workspace_slug: slug, ...(inviter !== undefined && { inviter }) };
}

type KnownAccount = { sub: string; state: AccountState; holds(email: string): boolean };

/**
 * An account whose address is not proven may belong to somebody else, who wrote the address in at an external provider, say: the invitation
 * must not go to it.
 */
function proven({ sub, state, holds }: KnownAccount, email: string): { sub: string; state: AccountState } {
  if (holds(email)) return { sub, state };
  throw fieldRefusal(
    "address_unproven",
    "email",
    "an account has this address and has not proved that it is theirs; use another",
  );
}

/** `FORCE_CHANGE_PASSWORD`: an administrator made the account, and its password was never used. A linked person signs in without it. */
function stateOf(status: UserStatusType | undefined, attributes: AttributeType[] | undefined): AccountState {
  const isLinked = attribute(attributes, "identities") !== undefined;
  return status === "FORCE_CHANGE_PASSWORD" && !isLinked ? "invited" : "active";
}

function attribute(attributes: AttributeType[] = [], name: string): string | undefined {
  return attributes.find(({ Name }) => Name === name)?.Value;
}

function subOf(attributes: AttributeType[] | undefined): string {
  const sub = attribute(attributes, "sub");
  if (sub === undefined) throw new Error("Cognito showed a user without a sub");
  return sub;
}

/** The answer, or undefined if the call fails with an error of one of the names. */
async function unless<T>(names: string | string[], answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && [names].flat().includes(error.name)) return undefined;
    throw error;
  }
}

/** Turns Cognito's errors that the caller can mend, or that pass, into refusals. */
async function refusing<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw refusalOf(error);
  }
}

const throttles = ["TooManyRequestsException", "LimitExceededException", "ThrottlingException"];

function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name } = error;
  if (name === "InvalidParameterException") {
    return fieldRefusal("invalid_request", "email", "the identity provider does not take this address");
  }
  if (name === "CodeDeliveryFailureException" || throttles.includes(name) || isOutage(error)) {
    const message = "The identity provider cannot send this invitation right now, try again";
    return new Refusal("identity_unavailable", message, { cause: error });
  }
  return error;
}

function isOutage(error: Error): boolean {
  const { $fault, $metadata } = error as { $fault?: string; $metadata?: { httpStatusCode?: number } };
  return $fault === "server" || ($metadata !== undefined && $metadata.httpStatusCode === undefined);
}
