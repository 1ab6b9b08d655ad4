// The two refusals that most of Cognito's operations share.
import { AwsError } from "../aws/service.ts";

export function notAuthorized(message: string): AwsError {
  return new AwsError("NotAuthorizedException", message);
}

export function invalidParameter(message: string): AwsError {
  return new AwsError("InvalidParameterException", message);
}
