// The calls with which people sign up and sign in without pages.
import * as z from "zod";
import { AwsError } from "../../aws/service.ts";
import { type AppClient, rotation } from "../clients.ts";
import { deliveryDetails } from "../mails.ts";
import {
  answerNewPassword,
  answerSoftwareToken,
  challenge,
  checkCredentials,
  checkSecretHash,
  nextChallenge,
  refresh,
} from "../people/sign-in.ts";
import type { ChallengeName } from "../people/sign-in-state.ts";
import { confirmSignUp, mailsCodes, signUp } from "../people/sign-up.ts";
import { allAttributes, type User } from "../people/users.ts";
import type { Pool } from "../pool.ts";
import { issueTokens, requestOverrides } from "../tokens.ts";
import type { TokenSource } from "../triggers.ts";
import { attributeList, fromList, metadata, openOperation, type PoolOperation, poolOperation } from "./operation.ts";

/** The only scope of a sign-in without OAuth. */
const apiScopes = ["aws.cognito.signin.user.admin"];

const initiateInput = {
  ClientId: z.string(),
  AuthFlow: z.string(),
  AuthParameters: z.record(z.string(), z.string()).default({}),
  // Cognito hands it to no trigger that is emulated here.
  ClientMetadata: metadata,
};

const respondInput = {
  ClientId: z.string(),
  ChallengeName: z.enum(["NEW_PASSWORD_REQUIRED", "SOFTWARE_TOKEN_MFA"]),
  ChallengeResponses: z.record(z.string(), z.string()),
  Session: z.string(),
  ClientMetadata: metadata,
};

type Parameters = Record<string, string>;
type Respond = {
  ClientId: string;
  ChallengeName: ChallengeName;
  ChallengeResponses: Parameters;
  Session: string;
  ClientMetadata?: Parameters | undefined;
};

export const authenticationOperations: Record<string, PoolOperation> = {
  SignUp: openOperation(
    {
      ClientId: z.string(),
      SecretHash: z.string().optional(),
      Username: z.string().min(1),
      Password: z.string(),
      UserAttributes: attributeList.optional(),
      ValidationData: attributeList.optional(),
      ClientMetadata: metadata,
    },
    async (pool, input) => {
      const client = clientOf(pool, input.ClientId);
      checkSecretHash(client, input.Username, input.SecretHash);
      const wanted = {
        username: input.Username,
        password: input.Password,
        attributes: fromList(input.UserAttributes),
      };
      const validationData = input.ValidationData && fromList(input.ValidationData);
      const user = await signUp(pool, client, wanted, { validationData, clientMetadata: input.ClientMetadata });
      const mailed = user.status === "UNCONFIRMED" && mailsCodes(pool);
      return {
        UserConfirmed: user.status === "CONFIRMED",
        UserSub: user.sub,
        ...(mailed && { CodeDeliveryDetails: deliveryDetails(user) }),
      };
    },
  ),

  ConfirmSignUp: openOperation(
    {
      ClientId: z.string(),
      SecretHash: z.string().optional(),
      Username: z.string().min(1),
      ConfirmationCode: z.string(),
      ClientMetadata: metadata,
    },
    async (pool, input) => {
      const client = clientOf(pool, input.ClientId);
      checkSecretHash(client, input.Username, input.SecretHash);
      await confirmSignUp(pool, client, input.Username, input.ConfirmationCode, input.ClientMetadata);
      return {};
    },
  ),

  InitiateAuth: openOperation(initiateInput, (pool, { ClientId, AuthFlow, AuthParameters }) => {
    const client = clientOf(pool, ClientId);
    if (AuthFlow === "USER_PASSWORD_AUTH") return signInWithPassword(pool, client, AuthFlow, AuthParameters);
    return refreshFlow(pool, client, AuthFlow, AuthParameters);
  }),

  AdminInitiateAuth: poolOperation(initiateInput, (pool, { ClientId, AuthFlow, AuthParameters }) => {
    const client = clientOf(pool, ClientId);
    if (AuthFlow === "ADMIN_USER_PASSWORD_AUTH") return signInWithPassword(pool, client, AuthFlow, AuthParameters);
    return refreshFlow(pool, client, AuthFlow, AuthParameters);
  }),

  RespondToAuthChallenge: openOperation(respondInput, respond),
  AdminRespondToAuthChallenge: poolOperation(respondInput, respond),
};

/** @throws AwsError ResourceNotFoundException */
export function clientOf(pool: Pool, id: string): AppClient {
  const client = pool.clients.find(id);
  if (!client) throw new AwsError("ResourceNotFoundException", `User pool client ${id} does not exist.`);
  return client;
}

async function signInWithPassword(pool: Pool, client: AppClient, flow: string, parameters: Parameters) {
  checkFlow(client, flow);
  const { USERNAME, PASSWORD, SECRET_HASH } = parameters;
  if (!USERNAME || PASSWORD === undefined) throw invalid("Missing required parameter USERNAME or PASSWORD");
  checkSecretHash(client, USERNAME, SECRET_HASH);
  const user = await checkCredentials(pool, client, USERNAME, PASSWORD);
  return proceed(pool, client, user, "Authentication");
}

/** Someone has proved the password: the next challenge, or the tokens. */
function proceed(pool: Pool, client: AppClient, user: User, source: TokenSource, clientMetadata?: Parameters) {
  const name = nextChallenge(pool, user);
  if (!name) return signedIn(pool, client, user, source, clientMetadata);
  const { sub: _, ...attributes } = allAttributes(user);
  const profile = { requiredAttributes: "[]", userAttributes: JSON.stringify(attributes) };
  return {
    ChallengeName: name,
    Session: challenge(pool, client, user, name),
    ChallengeParameters: {
      USER_ID_FOR_SRP: user.username,
      ...(name === "NEW_PASSWORD_REQUIRED" && profile),
    },
  };
}

async function respond(pool: Pool, input: Respond) {
  const { ClientId, ChallengeName: name, ChallengeResponses, Session, ClientMetadata } = input;
  const client = clientOf(pool, ClientId);
  const wanted = name === "NEW_PASSWORD_REQUIRED" ? "NEW_PASSWORD" : "SOFTWARE_TOKEN_MFA_CODE";
  const { USERNAME = "", SECRET_HASH, [wanted]: answer, ...others } = ChallengeResponses;
  const other = Object.keys(others)[0];
  if (other) throw invalid(`The challenge response ${other} is not emulated.`);
  if (answer === undefined) throw invalid(`Missing required parameter ${wanted}`);
  checkSecretHash(client, USERNAME, SECRET_HASH);
  const challenged = pool.challenges.read(Session)?.value.username;
  if (challenged !== undefined && pool.users.find(USERNAME)?.username !== challenged) {
    throw new AwsError("NotAuthorizedException", "Invalid session for the user.");
  }
  if (name === "SOFTWARE_TOKEN_MFA") {
    const user = answerSoftwareToken(pool, client, Session, answer);
    return signedIn(pool, client, user, "Authentication", ClientMetadata);
  }
  const user = await answerNewPassword(pool, client, Session, answer);
  return proceed(pool, client, user, "NewPasswordChallenge", ClientMetadata);
}

async function signedIn(
  pool: Pool,
  client: AppClient,
  user: User,
  source: TokenSource,
  clientMetadata?: Record<string, string>,
) {
  const authentication = pool.authentications.create({
    username: user.username,
    clientId: client.id,
    scopes: apiScopes,
  });
  const overrides = await requestOverrides(pool, source, authentication, clientMetadata);
  const { accessToken, idToken, expiresIn } = await issueTokens(pool, authentication, client, overrides);
  const RefreshToken = pool.authentications.keep(authentication, client);
  return result({ AccessToken: accessToken, IdToken: idToken, RefreshToken, ExpiresIn: expiresIn });
}

async function refreshFlow(pool: Pool, client: AppClient, flow: string, parameters: Parameters) {
  if (flow !== "REFRESH_TOKEN_AUTH" && flow !== "REFRESH_TOKEN") throw invalid(`The flow ${flow} is not emulated.`);
  checkFlow(client, "REFRESH_TOKEN_AUTH");
  if (rotation(client)) throw invalid("REFRESH_TOKEN_AUTH is not available with refresh token rotation.");
  const { REFRESH_TOKEN, SECRET_HASH } = parameters;
  if (!REFRESH_TOKEN) throw invalid("Missing required parameter REFRESH_TOKEN");
  const owner = pool.authentications.ofRefreshToken(REFRESH_TOKEN)?.username ?? "";
  checkSecretHash(client, owner, SECRET_HASH);
  const { tokens } = await refresh(pool, client, REFRESH_TOKEN);
  return result({ AccessToken: tokens.accessToken, IdToken: tokens.idToken, ExpiresIn: tokens.expiresIn });
}

function result(tokens: Record<string, string | number>) {
  return { AuthenticationResult: { ...tokens, TokenType: "Bearer" }, ChallengeParameters: {} };
}

function checkFlow({ settings }: AppClient, flow: string): void {
  const allowed: string[] = settings.explicitAuthFlows;
  if (!allowed.includes(`ALLOW_${flow}`)) throw invalid(`${flow} flow not enabled for this client`);
}

function invalid(message: string): AwsError {
  return new AwsError("InvalidParameterException", message);
}
