// The requests and answers of the authorization server's endpoints.
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";

export type OAuthRequest = {
  headers: APIGatewayProxyEventV2["headers"];
  cookies: readonly string[];
  query: URLSearchParams;
  body: string;
};

export type OAuthAnswer = APIGatewayProxyStructuredResultV2;
