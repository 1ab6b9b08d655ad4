// The dependencies of the authorization server. lambda.ts creates the real ones.
import type { AuthorizationDependencies } from "../../domain/connectors/authorization.ts";
import type { SignInDependencies } from "../../domain/connectors/sign-in.ts";
import type { TokenDependencies } from "../../domain/connectors/token-grant.ts";
import type { Log } from "../../domain/kernel/log.ts";

export type OAuthDependencies = AuthorizationDependencies &
  SignInDependencies &
  TokenDependencies & {
    /** The value of a new browser's cookie: 43 random letters, digits, hyphens and underscores. */
    newBrowser: () => string;
    log: Log;
  };
